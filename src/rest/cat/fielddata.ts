/**
 * `GET _cat/fielddata/{fields}`: memory that values of fields take. They are read from mapped files, so no field holds any, and the
 * table has no lines.
 */
import { defineEndpoint } from '../endpoint.js';
import { listParameter } from '../parameters.js';
import { answerTable, catParameters, column, type Column } from './table.js';

const COLUMNS: readonly Column<never>[] = [
  column('id', 'identifier of the node', () => undefined),
  column('host', 'host of the node', () => undefined, { aliases: 'h' }),
  column('ip', 'address of the node', () => undefined),
  column('node', 'name of the node', () => undefined, { aliases: 'n' }),
  column('field', 'name of the field', () => undefined, { aliases: 'f' }),
  column('size', 'memory that its values take', () => undefined, { aliases: 's', align: 'right' }),
];

export const catFielddataEndpoint = defineEndpoint({
  name: 'cat.fielddata',
  methods: ['GET'],
  paths: ['/_cat/fielddata', '/_cat/fielddata/{fields}'],
  parameters: { ...catParameters, fields: listParameter() },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle: (request) => answerTable(COLUMNS, request.parameters, request.presentation, () => []),
});
