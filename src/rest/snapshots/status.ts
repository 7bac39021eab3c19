/** `GET _snapshot/_status`: how far snapshots are, by index and shard. */
import type { ActionContext } from '../../actions/context.js';
import { snapshotMissing } from '../../actions/snapshots/create-snapshot.js';
import { listSnapshots, nameOf, type ListedSnapshot } from '../../actions/snapshots/list-snapshots.js';
import type { ShardStatus, SnapshotStatus } from '../../actions/snapshots/snapshot-status.js';
import type { JsonObject } from '../../base/json-value.js';
import { indexNotFound } from '../../cluster/names/index-expression.js';
import { formatBytes, formatTime } from '../../base/units.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { stateReadParameters } from '../indices/index-names.js';
import { booleanParameter, splitList } from '../parameters.js';
import { namedRepositories } from './repository.js';

export const snapshotStatusEndpoint = defineEndpoint({
  name: 'snapshot.status',
  action: 'cluster:admin/snapshot/status',
  methods: ['GET'],
  paths: [
    '/_snapshot/_status',
    '/_snapshot/{repository}/_status',
    '/_snapshot/{repository}/{snapshot}/_status',
    '/_snapshot/{repository}/{snapshot}/{index}/_status',
  ],
  parameters: { ...stateReadParameters, ignore_unavailable: booleanParameter(false) },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle({ parts, parameters, presentation }, context) {
    const listed = await asked(context, parts.repository, parts.snapshot, parameters.ignore_unavailable);
    const snapshots: JsonObject[] = [];
    // Seldom asked for: no thread loads it before.
    const { snapshotStatus } = await import('../../actions/snapshots/snapshot-status.js');
    for (const each of listed) {
      const status = await snapshotStatus(context, each);
      snapshots.push(render(ofIndices(status, parts.index, parameters.ignore_unavailable), presentation.human));
    }
    return answerValue({ snapshots });
  },
});

/** Without a name those that are being made. */
async function asked(
  context: ActionContext,
  repositoryPart: string | undefined,
  snapshotPart: string | undefined,
  ignoresUnavailable: boolean,
): Promise<readonly ListedSnapshot[]> {
  const repositories = namedRepositories(context.clusterState(), repositoryPart);
  const lists = await Promise.all(
    repositories.map(async ({ name }) => {
      const all = await listSnapshots(context, name);
      if (snapshotPart === undefined) return all.filter(({ kind }) => kind === 'running');
      return splitList(snapshotPart).flatMap((wanted) => {
        if (wanted === '_current') return all.filter(({ kind }) => kind === 'running');
        const found = all.filter((each) => nameOf(each) === wanted);
        if (found.length === 0 && !ignoresUnavailable) throw snapshotMissing(name, wanted);
        return found;
      });
    }),
  );
  return lists.flat();
}

/** Of some of its indices alone. */
function ofIndices(status: SnapshotStatus, part: string | undefined, ignoresUnavailable: boolean): SnapshotStatus {
  if (part === undefined) return status;
  const asked = splitList(part);
  const missing = asked.find((name) => !status.indices.some((index) => index.name === name));
  if (missing !== undefined && !ignoresUnavailable) throw indexNotFound(missing);
  return { ...status, indices: status.indices.filter(({ name }) => asked.includes(name)) };
}

function render(status: SnapshotStatus, human: boolean): JsonObject {
  const all = status.indices.flatMap(({ shards }) => shards);
  return {
    snapshot: status.name,
    repository: status.repository,
    uuid: status.uuid,
    state: status.state,
    include_global_state: status.includeGlobalState,
    shards_stats: stages(all),
    stats: figures(all, status.startedAtMs, status.tookMs, human),
    indices: Object.fromEntries(
      status.indices.map(({ name, shards }) => [
        name,
        {
          shards_stats: stages(shards),
          stats: figures(shards, earliest(shards), longest(shards), human),
          shards: Object.fromEntries(shards.map((shard, number) => [String(number), renderShard(shard, human)])),
        },
      ]),
    ),
  };
}

function renderShard(shard: ShardStatus, human: boolean): JsonObject {
  const { stage, nodeId, reason, startedAtMs, tookMs } = shard;
  return {
    stage,
    stats: figures([shard], startedAtMs, tookMs, human),
    ...(nodeId === undefined ? {} : { node: nodeId }),
    ...(reason === undefined ? {} : { reason }),
  };
}

function stages(shards: readonly ShardStatus[]): JsonObject {
  const count = (stage: ShardStatus['stage']): number => shards.filter((shard) => shard.stage === stage).length;
  return {
    initializing: count('INIT'),
    started: count('STARTED'),
    finalizing: count('FINALIZE'),
    done: count('DONE'),
    failed: count('FAILURE'),
    total: shards.length,
  };
}

function figures(shards: readonly ShardStatus[], startedAtMs: number, tookMs: number, human: boolean): JsonObject {
  const sum = (of: (shard: ShardStatus) => number): number => shards.reduce((total, shard) => total + of(shard), 0);
  const files = (count: number, bytes: number): JsonObject => ({
    file_count: count,
    ...(human ? { size: formatBytes(bytes) } : {}),
    size_in_bytes: bytes,
  });
  const isRunning = shards.some(({ done }) => done !== undefined);
  const doneFiles = sum(({ done, stage, newFiles }) => done?.files ?? (stage === 'DONE' ? newFiles : 0));
  const doneBytes = sum(({ done, stage, newBytes }) => done?.bytes ?? (stage === 'DONE' ? newBytes : 0));
  return {
    incremental: files(
      sum(({ newFiles }) => newFiles),
      sum(({ newBytes }) => newBytes),
    ),
    ...(isRunning ? { processed: files(doneFiles, doneBytes) } : {}),
    total: files(
      sum(({ totalFiles }) => totalFiles),
      sum(({ totalBytes }) => totalBytes),
    ),
    start_time_in_millis: startedAtMs,
    ...(human ? { time: formatTime(tookMs) } : {}),
    time_in_millis: tookMs,
  };
}

function earliest(shards: readonly ShardStatus[]): number {
  return shards.reduce((first, { startedAtMs }) => (first === 0 ? startedAtMs : Math.min(first, startedAtMs)), 0);
}

function longest(shards: readonly ShardStatus[]): number {
  return shards.reduce((most, { tookMs }) => Math.max(most, tookMs), 0);
}
