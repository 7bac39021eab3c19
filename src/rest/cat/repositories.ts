/** `GET _cat/repositories`. */
import type { RepositoryRecord } from '../../cluster/snapshots/types.js';
import { defineEndpoint } from '../endpoint.js';
import { namedRepositories } from '../snapshots/repository.js';
import { answerTable, catParameters, column, type Column } from './table.js';

const COLUMNS: readonly Column<RepositoryRecord>[] = [
  column('id', 'name of the repository', ({ name }) => name, { aliases: 'id,repoId' }),
  column('type', 'kind of the repository', ({ type }) => type, { aliases: 't,type' }),
];

export const catRepositoriesEndpoint = defineEndpoint({
  name: 'cat.repositories',
  action: 'cluster:admin/repository/get',
  methods: ['GET'],
  paths: ['/_cat/repositories'],
  parameters: catParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle: (request, context) =>
    answerTable(COLUMNS, request.parameters, request.presentation, () =>
      namedRepositories(context.clusterState(), undefined),
    ),
});
