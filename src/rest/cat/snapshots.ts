/** `GET _cat/snapshots/{repository}`: the snapshots of one or several repositories. */
import type { ActionContext } from '../../actions/context.js';
import {
  listSnapshotsOfAll,
  nameOf,
  startedAtMs,
  type ListedSnapshot,
} from '../../actions/snapshots/list-snapshots.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter } from '../parameters.js';
import { namedRepositories } from '../snapshots/repository.js';
import { answerTable, catParameters, column, type Column } from './table.js';

const right = (aliases: string): { aliases: string; align: 'right' } => ({ aliases, align: 'right' });

/** What a line tells. */
interface Row {
  readonly name: string;
  readonly repository: string;
  readonly state: string;
  readonly startedAtMs: number;
  /** Undefined while it is being made. */
  readonly endedAtMs: number | undefined;
  readonly tookMs: number;
  readonly indices: number;
  readonly successfulShards: number;
  readonly failedShards: number;
  readonly totalShards: number;
}

const ID = column<Row>('id', 'name of the snapshot', ({ name }) => name, { aliases: 'id,snapshot' });
/** Known to tools of one kind alone. */
const REPOSITORY = column<Row>('repository', 'where it is', ({ repository }) => repository, { aliases: 're,repo' });

const REST: readonly Column<Row>[] = [
  column('status', 'how far it is, or how it ended', ({ state }) => state, { aliases: 's,status' }),
  column('start_epoch', 'when it began, in seconds since 1970', (row) => seconds(row.startedAtMs), {
    aliases: 'ste,startEpoch',
  }),
  column('start_time', 'when it began, time of day', (row) => timeOfDay(row.startedAtMs), {
    aliases: 'sti,startTime',
  }),
  column('end_epoch', 'when it ended, in seconds since 1970', (row) => seconds(row.endedAtMs ?? 0), {
    aliases: 'ete,endEpoch',
  }),
  column('end_time', 'when it ended, time of day', (row) => timeOfDay(row.endedAtMs ?? 0), {
    aliases: 'eti,endTime',
  }),
  column('duration', 'how long it took', ({ tookMs }) => ({ millis: tookMs }), right('dur,duration')),
  column('indices', 'indices in it', ({ indices }) => indices, right('i,indices')),
  column('successful_shards', 'shards that are stored', (row) => row.successfulShards, right('ss')),
  column('failed_shards', 'shards that could not be stored', ({ failedShards }) => failedShards, right('fs')),
  column('total_shards', 'shards', ({ totalShards }) => totalShards, right('ts')),
  column('reason', 'why it failed', () => undefined, { aliases: 'r', isDefault: false }),
];

export const catSnapshotsEndpoint = defineEndpoint({
  name: 'cat.snapshots',
  action: 'cluster:admin/snapshot/get',
  methods: ['GET'],
  paths: ['/_cat/snapshots', '/_cat/snapshots/{repository}'],
  parameters: { ...catParameters, ignore_unavailable: booleanParameter(false) },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { parts, parameters } = request;
    const isOpensearch = context.settings.values['compatibility.distribution'] === 'opensearch';
    const columns = isOpensearch ? [ID, ...REST] : [ID, REPOSITORY, ...REST];
    return answerTable(columns, parameters, request.presentation, () =>
      rows(context, parts.repository, parameters.ignore_unavailable),
    );
  },
});

async function rows(
  context: ActionContext,
  part: string | undefined,
  ignoresUnavailable: boolean,
): Promise<readonly Row[]> {
  const repositories = namedRepositories(context.clusterState(), part).map(({ name }) => name);
  const lists = await listSnapshotsOfAll(context, repositories, ignoresUnavailable);
  return lists.flat().map((listed) => rowOf(listed, context.clock.nowMs()));
}

function rowOf(listed: ListedSnapshot, nowMs: number): Row {
  const head = { name: nameOf(listed), repository: listed.repository.name, startedAtMs: startedAtMs(listed) };
  if (listed.kind === 'finished') {
    const { state, endedAtMs, indices, successfulShards, totalShards } = listed.summary;
    const failedShards = totalShards - successfulShards;
    const tookMs = endedAtMs - head.startedAtMs;
    return { ...head, state, endedAtMs, tookMs, indices, successfulShards, failedShards, totalShards };
  }
  const shards = listed.operation.indices.flatMap((index) => index.shards);
  return {
    ...head,
    state: 'IN_PROGRESS',
    endedAtMs: undefined,
    tookMs: nowMs - head.startedAtMs,
    indices: listed.operation.indices.length,
    successfulShards: shards.filter(({ state }) => state === 'success').length,
    failedShards: shards.filter(({ state }) => state === 'failed' || state === 'missing').length,
    totalShards: shards.length,
  };
}

function seconds(atMs: number): number {
  return Math.floor(atMs / 1_000);
}

function timeOfDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 19);
}
