/** Statistics of mounted indices and of the caches that they are read through. */
import type { ActionContext } from '../../actions/context.js';
import { broadcastEach, byShard, shardsHeader, type ShardAnswer } from '../../actions/indices/broadcast.js';
import { askNodes } from '../../actions/nodes/ask-nodes.js';
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { sum } from '../../base/sum.js';
import { formatTime } from '../../base/units.js';
import { IndicesDefaults } from '../../cluster/names/indices-options.js';
import { selectNodes } from '../../cluster/nodes/node-filter.js';
import { isMounted } from '../../cluster/snapshots/mounted.js';
import type { IndexMetadata } from '../../cluster/state.js';
import type { ByteTally, RemoteFileFigures } from '../../native/remote-files.js';
import { nodesHeader } from '../cluster/nodes/nodes-header.js';
import { namedIndices } from '../indices/index-names.js';
import { openOnly } from '../indices/maintenance/refresh.js';
import { splitList } from '../parameters.js';
import { sizeMembers } from '../size-members.js';

type Options = Parameters<typeof namedIndices>[3];

type Answer = ShardAnswer<readonly RemoteFileFigures[]>;

export async function mountStats(
  context: ActionContext,
  expression: string | undefined,
  { level = 'indices', ...options }: Options & { readonly level: 'cluster' | 'indices' | 'shards' | undefined },
  isHuman: boolean,
): Promise<JsonObject> {
  const indices = mountedIndices(context, expression, options);
  const result = await broadcastEach(context, indices, 'remote-files', () => null, 'primaries');
  const body = { _shards: shardsHeader(result), total: byExtension(result.answers, isHuman) };
  if (level === 'cluster') return body;
  const entries = indices.map((index) => {
    const own = result.answers.filter((answer) => answer.index.name === index.name);
    const shards = level === 'shards' ? { shards: byShard(own, (answer) => shardEntry(answer, isHuman)) } : {};
    return [index.name, { total: byExtension(own, isHuman), ...shards }] as const;
  });
  return { ...body, indices: Object.fromEntries(entries) };
}

export async function clearMountCache(
  context: ActionContext,
  expression: string | undefined,
  options: Options,
): Promise<JsonObject> {
  const indices = mountedIndices(context, expression, options);
  const result = await broadcastEach(context, indices, 'clear-remote-files', () => null, 'primaries');
  return { _shards: shardsHeader(result) };
}

export async function mountCacheStats(
  context: ActionContext,
  filter: string | undefined,
  timeoutMs: number,
  isHuman: boolean,
): Promise<JsonObject> {
  const state = context.clusterState();
  const nodes = selectNodes(state, filter === undefined ? [] : splitList(filter), context.node.id);
  const { answers, failures } = await askNodes(context, nodes, 'shared-cache', null, timeoutMs);
  const bytes = (name: string, value: number): JsonObject => sizeMembers(name, value, isHuman);
  const entries = answers.map(({ node, output }) => {
    const { reads = 0, bytesRead = 0, writes = 0, bytesWritten = 0, evictions = 0, regions = 0 } = output ?? {};
    const { regionBytes = 0, regionsUsed = 0, refused = 0 } = output ?? {};
    const figures = {
      reads,
      ...bytes('bytes_read', bytesRead),
      writes,
      ...bytes('bytes_written', bytesWritten),
      evictions,
      num_regions: regions,
      ...bytes('size', regions * regionBytes),
      ...bytes('region_size', regionBytes),
      // Of this engine: regions that hold something, and searches that found no room.
      num_regions_used: regionsUsed,
      rejections: refused,
    };
    return [node.id, { shared_cache: figures }] as const;
  });
  return {
    _nodes: nodesHeader(nodes.length, failures),
    cluster_name: state.clusterName,
    nodes: Object.fromEntries(entries),
  };
}

/** Throws `resource_not_found_exception` where none of those that are meant is mounted. */
function mountedIndices(
  context: ActionContext,
  expression: string | undefined,
  options: Options,
): readonly IndexMetadata[] {
  const named = namedIndices(context, expression, IndicesDefaults.expandOpenForbidClosed, options);
  const mounted = openOnly(named).filter(isMounted);
  if (mounted.length > 0) return mounted;
  throw new QuarryError('resource_not_found_exception', 'No searchable snapshots indices found');
}

function shardEntry({ index, copy, output }: Answer, isHuman: boolean): JsonObject {
  return {
    snapshot_uuid: index.restoredFrom?.snapshotUuid ?? null,
    index_uuid: index.restoredFrom?.indexId ?? null,
    shard: { state: copy.state, primary: copy.primary, node: copy.nodeId, relocating_node: copy.relocatingNodeId },
    files: byExtension([{ output }], isHuman),
  };
}

function byExtension(answers: readonly Pick<Answer, 'output'>[], isHuman: boolean): JsonObject[] {
  const groups = new Map<string, RemoteFileFigures[]>();
  for (const file of answers.flatMap(({ output }) => output)) {
    const extension = file.name.slice(file.name.lastIndexOf('.') + 1);
    const group = groups.get(extension) ?? [];
    group.push(file);
    groups.set(extension, group);
  }
  return [...groups].sort().map(([extension, files]) => extensionEntry(extension, files, isHuman));
}

const NONE = { count: 0, sum: 0, min: 0, max: 0 };

/** What is read goes through the cache: what the reference counts of other ways is always zero. */
function extensionEntry(extension: string, files: readonly RemoteFileFigures[], isHuman: boolean): JsonObject {
  const lengths = files.map(({ length }) => length);
  const total = sum(lengths);
  const sizes = {
    total,
    min: Math.min(...lengths),
    max: Math.max(...lengths),
    average: Math.floor(total / files.length),
  };
  const size = Object.entries(sizes).map(([name, value]) => sizeMembers(name, value, isHuman));
  const nanos = sum(files.map(({ fetchNanos }) => fetchNanos));
  const timed = (tally: ByteTally, time: number): JsonObject => ({
    ...tally,
    ...(isHuman ? { time: formatTime(Math.round(time / 1e6)) } : {}),
    time_in_nanos: time,
  });
  return {
    file_ext: extension,
    num_files: files.length,
    open_count: sum(files.map(({ opened }) => opened)),
    close_count: 0,
    size: Object.assign({}, ...size) as JsonObject,
    contiguous_bytes_read: NONE,
    non_contiguous_bytes_read: NONE,
    cached_bytes_read: together(files.map(({ read }) => read)),
    index_cache_bytes_read: NONE,
    cached_bytes_written: timed(together(files.map(({ fetched }) => fetched)), nanos),
    direct_bytes_read: timed(NONE, 0),
    optimized_bytes_read: timed(NONE, 0),
    forward_seeks: { small: NONE, large: NONE },
    backward_seeks: { small: NONE, large: NONE },
    lucene_bytes_read: NONE,
    current_index_cache_fills: 0,
    // Of this engine: what the cache holds now, by whole regions, and parts that did not match their checksum.
    cached_bytes: sum(files.map(({ bytesCached }) => bytesCached)),
    evictions: sum(files.map(({ evictions }) => evictions)),
    damaged_parts: sum(files.map(({ damaged }) => damaged)),
  };
}

function together(tallies: readonly ByteTally[]): typeof NONE {
  const met = tallies.filter(({ count }) => count > 0);
  if (met.length === 0) return NONE;
  return {
    count: sum(met.map(({ count }) => count)),
    sum: sum(met.map((tally) => tally.sum)),
    min: Math.min(...met.map(({ min }) => min)),
    max: Math.max(...met.map(({ max }) => max)),
  };
}
