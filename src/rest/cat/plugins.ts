/** `GET _cat/plugins`: no plug-ins are taken, so the table has no lines. */
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter } from '../parameters.js';
import { answerTable, catParameters, column, type Column } from './table.js';

const hidden = (aliases: string): { aliases: string; isDefault: false } => ({ aliases, isDefault: false });

const COLUMNS: readonly Column<never>[] = [
  column('id', 'identifier of the node', () => undefined, { isDefault: false }),
  column('name', 'name of the node', () => undefined, { aliases: 'n' }),
  column('component', 'name of the plug-in', () => undefined, { aliases: 'c' }),
  column('version', 'version of the plug-in', () => undefined, { aliases: 'v' }),
  column('description', 'what it does', () => undefined, hidden('d')),
];

/** Known to tools of one kind alone. */
const TYPE = column<never>('type', 'kind of plug-in', () => undefined, hidden('t'));

export const catPluginsEndpoint = defineEndpoint({
  name: 'cat.plugins',
  action: { name: 'cluster:monitor/state', also: ['cluster:monitor/nodes/info'] },
  methods: ['GET'],
  paths: ['/_cat/plugins'],
  parameters: { ...catParameters, include_bootstrap: booleanParameter(false) },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const isOpensearch = context.settings.values['compatibility.distribution'] === 'opensearch';
    return answerTable(isOpensearch ? COLUMNS : [...COLUMNS, TYPE], request.parameters, request.presentation, () => []);
  },
});
