/** `GET _cat/templates/{name}`: legacy and index templates. */
import { matchesAny } from '../../cluster/names/wildcard.js';
import { defineEndpoint } from '../endpoint.js';
import { splitList } from '../parameters.js';
import { answerTable, catParameters, column, type Column } from './table.js';

interface Row {
  readonly name: string;
  readonly patterns: readonly string[];
  readonly order: number;
  readonly version: number | undefined;
  readonly composedOf: readonly string[] | undefined;
}

const COLUMNS: readonly Column<Row>[] = [
  column('name', 'name of the template', (row) => row.name, { aliases: 'n' }),
  column('index_patterns', 'names of indices that it is for', (row) => `[${row.patterns.join(', ')}]`, {
    aliases: 't',
  }),
  column('order', 'order, or priority, of the template', (row) => row.order, { aliases: 'o,p' }),
  column('version', 'version that the user gave it', (row) => row.version, { aliases: 'v' }),
  column(
    'composed_of',
    'component templates that it is made of',
    (row) => (row.composedOf === undefined ? '' : `[${row.composedOf.join(', ')}]`),
    { aliases: 'c' },
  ),
];

export const catTemplatesEndpoint = defineEndpoint({
  name: 'cat.templates',
  action: { name: 'indices:admin/template/get', also: ['indices:admin/index_template/get'] },
  methods: ['GET'],
  paths: ['/_cat/templates', '/_cat/templates/{name}'],
  parameters: catParameters,
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { parameters, parts } = request;
    return answerTable(COLUMNS, parameters, request.presentation, () => {
      const { legacyTemplates, indexTemplates } = context.clusterState();
      const legacy = [...legacyTemplates].map(([name, { indexPatterns, order, version }]): Row => {
        return { name, patterns: indexPatterns, order, version, composedOf: undefined };
      });
      const composable = [...indexTemplates].map(
        ([name, { indexPatterns, priority = 0, version, composedOf }]): Row => {
          return { name, patterns: indexPatterns, order: priority, version, composedOf };
        },
      );
      const wanted = parts.name === undefined ? ['*'] : splitList(parts.name);
      return [...legacy, ...composable].filter(({ name }) => matchesAny(wanted, name));
    });
  },
});
