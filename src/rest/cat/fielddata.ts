/** `GET _cat/fielddata/{fields}`: memory that the terms of text fields take, by node and field. */
import { broadcast } from '../../actions/indices/broadcast.js';
import { matchesAny } from '../../cluster/names/wildcard.js';
import { defineEndpoint } from '../endpoint.js';
import { openOnly } from '../indices/maintenance/refresh.js';
import { listParameter } from '../parameters.js';
import { answerTable, catParameters, column, type Column } from './table.js';

interface Row {
  readonly nodeId: string;
  readonly ip: string | undefined;
  readonly host: string | undefined;
  readonly name: string | undefined;
  readonly field: string;
  readonly bytes: number;
}

const COLUMNS: readonly Column<Row>[] = [
  column('id', 'identifier of the node', ({ nodeId }) => nodeId),
  column('host', 'host of the node', ({ host }) => host, { aliases: 'h' }),
  column('ip', 'address of the node', ({ ip }) => ip),
  column('node', 'name of the node', ({ name }) => name, { aliases: 'n' }),
  column('field', 'name of the field', ({ field }) => field, { aliases: 'f' }),
  column('size', 'memory that its terms take', ({ bytes }) => ({ bytes }), { aliases: 's', align: 'right' }),
];

export const catFielddataEndpoint = defineEndpoint({
  name: 'cat.fielddata',
  action: 'cluster:monitor/nodes/stats',
  methods: ['GET'],
  paths: ['/_cat/fielddata', '/_cat/fielddata/{fields}'],
  parameters: { ...catParameters, fields: listParameter() },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { parameters, parts } = request;
    const patterns = parts.fields?.split(',') ?? parameters.fields ?? ['*'];
    return answerTable(COLUMNS, parameters, request.presentation, async () => {
      const { indices, nodes } = context.clusterState();
      const { answers } = await broadcast(context, openOnly([...indices.values()]), 'statistics', null);
      const sums = new Map<string, Row>();
      for (const { copy, output } of answers) {
        const { nodeId } = copy;
        if (nodeId === null) continue;
        for (const [field, bytes] of Object.entries(output.stats.fielddataBytes)) {
          if (!matchesAny(patterns, field)) continue;
          const id = `${nodeId} ${field}`;
          const node = nodes.get(nodeId);
          const before = sums.get(id)?.bytes ?? 0;
          sums.set(id, { nodeId, ip: node?.ip, host: node?.host, name: node?.name, field, bytes: before + bytes });
        }
      }
      return [...sums.values()];
    });
  },
});
