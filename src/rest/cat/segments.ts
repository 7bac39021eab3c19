/** `GET _cat/segments/{index}`. */
import { broadcast } from '../../actions/indices/broadcast.js';
import { IndicesDefaults } from '../../cluster/names/indices-options.js';
import type { ShardCopy } from '../../cluster/state.js';
import type { SegmentStats } from '../../native/shard-statistics.js';
import { defineEndpoint } from '../endpoint.js';
import { FORMAT_NAME } from '../indices/format-name.js';
import { namedIndices } from '../indices/index-names.js';
import { openOnly } from '../indices/maintenance/refresh.js';
import { booleanParameter, indicesOptionsParameters } from '../parameters.js';
import { answerTable, catParameters, column, type Column } from './table.js';

interface Row {
  readonly index: string;
  readonly copy: ShardCopy;
  readonly ip: string | undefined;
  readonly segment: SegmentStats;
}

const COLUMNS: readonly Column<Row>[] = [
  column('index', 'name of the index', (row) => row.index, { aliases: 'i,idx' }),
  column('shard', 'number of the shard', (row) => row.copy.shard, { aliases: 's,sh' }),
  column('prirep', 'p for the primary, r for a replica', (row) => (row.copy.primary ? 'p' : 'r'), {
    aliases: 'p,pr,primaryOrReplica',
  }),
  column('ip', 'address of its node', (row) => row.ip),
  column('id', 'identifier of its node', (row) => row.copy.nodeId, { isDefault: false }),
  column('segment', 'name of the segment', (row) => row.segment.name, { aliases: 'seg' }),
  column('generation', 'number of the segment', (row) => row.segment.generation, { aliases: 'g,gen', align: 'right' }),
  column('docs.count', 'documents', (row) => row.segment.documents, { aliases: 'dc,docsCount', align: 'right' }),
  column('docs.deleted', 'deleted documents', (row) => row.segment.deleted, {
    aliases: 'dd,docsDeleted',
    align: 'right',
  }),
  column('size', 'size on disk', (row) => ({ bytes: row.segment.bytes }), { aliases: 'si', align: 'right' }),
  column('size.memory', 'memory held for it, in bytes', () => 0, { aliases: 'sm,sizeMemory', align: 'right' }),
  column('committed', 'whether a commit point names it', (row) => row.segment.committed, {
    aliases: 'ic,isCommitted',
  }),
  column('searchable', 'whether searches see it', (row) => row.segment.searchable, { aliases: 'is,isSearchable' }),
  column('version', 'version of its format', () => FORMAT_NAME, { aliases: 'v,ver' }),
  column('compound', 'whether it is one file', () => true, { aliases: 'ico,isCompound' }),
];

export const catSegmentsEndpoint = defineEndpoint({
  name: 'cat.segments',
  action: { name: 'indices:monitor/segments', also: ['cluster:monitor/state'] },
  methods: ['GET'],
  paths: ['/_cat/segments', '/_cat/segments/{index}'],
  parameters: {
    ...catParameters,
    ...indicesOptionsParameters,
    allow_closed: booleanParameter(false),
    ignore_throttled: booleanParameter(),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { parameters, parts } = request;
    return answerTable(COLUMNS, parameters, request.presentation, async () => {
      const defaults = parameters.allow_closed ? IndicesDefaults.expandOpen : IndicesDefaults.expandOpenForbidClosed;
      const indices = namedIndices(context, parts.index, defaults, parameters);
      const { nodes } = context.clusterState();
      const { answers } = await broadcast(context, openOnly(indices), 'statistics', null);
      return answers.flatMap(({ index, copy, output }) =>
        output.segments.map((segment): Row => {
          const ip = copy.nodeId === null ? undefined : nodes.get(copy.nodeId)?.ip;
          return { index: index.name, copy, ip, segment };
        }),
      );
    });
  },
});
