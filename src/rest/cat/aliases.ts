/** `GET _cat/aliases/{name}`. */
import { aliasTable } from '../../cluster/aliases/aliases.js';
import { expandExpressions } from '../../cluster/names/index-expression.js';
import { indicesOptions, IndicesDefaults } from '../../cluster/names/indices-options.js';
import type { AliasMetadata } from '../../cluster/state.js';
import { defineEndpoint } from '../endpoint.js';
import { aliasSelector } from '../indices/aliases/alias-patterns.js';
import { listParameter, splitList } from '../parameters.js';
import { answerTable, catParameters, column, type Column } from './table.js';

interface Row {
  readonly alias: string;
  readonly index: string;
  readonly metadata: AliasMetadata;
}

const COLUMNS: readonly Column<Row>[] = [
  column('alias', 'name of the alias', (row) => row.alias, { aliases: 'a' }),
  column('index', 'index or data stream that it stands for', (row) => row.index, { aliases: 'i,idx' }),
  column('filter', 'a star when it has a filter', (row) => (row.metadata.filter === undefined ? '-' : '*'), {
    aliases: 'f,fi',
  }),
  column('routing.index', 'routing of documents written through it', (row) => row.metadata.indexRouting ?? '-', {
    aliases: 'ri,routingIndex',
  }),
  column('routing.search', 'routings of searches through it', (row) => row.metadata.searchRouting ?? '-', {
    aliases: 'rs,routingSearch',
  }),
  column('is_write_index', 'whether documents go to this index', (row) => String(row.metadata.isWriteIndex ?? '-'), {
    aliases: 'w,isWriteIndex',
  }),
];

export const catAliasesEndpoint = defineEndpoint({
  name: 'cat.aliases',
  action: 'indices:admin/aliases/get',
  methods: ['GET'],
  paths: ['/_cat/aliases', '/_cat/aliases/{name}'],
  parameters: { ...catParameters, expand_wildcards: listParameter() },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { parameters, parts } = request;
    return answerTable(COLUMNS, parameters, request.presentation, () => {
      const state = context.clusterState();
      const options = indicesOptions(IndicesDefaults.lenient, { expand_wildcards: parameters.expand_wildcards });
      const reached = expandExpressions(state, ['_all'], options, context.clock.nowMs(), 'indices');
      const wanted = aliasSelector(state, parts.name === undefined ? [] : splitList(parts.name));
      const table = [...aliasTable(state)].sort(([left], [right]) => (left < right ? -1 : 1));
      return table.flatMap(([alias, targets]) => {
        const shown = targets.filter(({ index }) => wanted(alias) && reached.has(index.name));
        // The indices of a data stream make one row.
        const rows = shown.map(({ index, stream, metadata }) => [stream?.name ?? index.name, metadata] as const);
        return [...new Map(rows)].map(([index, metadata]): Row => ({ alias, index, metadata }));
      });
    });
  },
});
