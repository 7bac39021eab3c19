/** `GET _cat/repositories`: no repository can be registered yet, so the table has no lines. */
import { defineEndpoint } from '../endpoint.js';
import { answerTable, catParameters, column, type Column } from './table.js';

const COLUMNS: readonly Column<never>[] = [
  column('id', 'name of the repository', () => undefined, { aliases: 'id,repoId' }),
  column('type', 'kind of the repository', () => undefined, { aliases: 't,type' }),
];

export const catRepositoriesEndpoint = defineEndpoint({
  name: 'cat.repositories',
  methods: ['GET'],
  paths: ['/_cat/repositories'],
  parameters: catParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle: (request) => answerTable(COLUMNS, request.parameters, request.presentation, () => []),
});
