import { describe, expect, it } from 'vitest';
import { orShardGone, ShardHost, type ShardLifecycle } from '../../src/actions/shard-host.js';
import type { OpenShard } from '../../src/actions/shard-operation.js';
import { systemClock } from '../../src/base/clock.js';
import { QuarryError } from '../../src/base/errors.js';
import { silentLogger } from '../../src/base/logger.js';
import type { ClusterState } from '../../src/cluster/state.js';
import { clusterWith, indexOf, NODE } from '../cluster/support.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function host() {
  const calls: string[] = [];
  let endClosing: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => (endClosing = resolve));
  const lifecycle: ShardLifecycle = {
    open: (current) => {
      calls.push(`open ${current().name}`);
      return Promise.resolve({ name: current().name } as unknown as OpenShard);
    },
    update: () => undefined,
    follow: () => undefined,
    close: async (shard) => {
      await closed;
      calls.push(`close ${(shard as unknown as { name: string }).name}`);
    },
    deleteFiles: () => Promise.resolve(),
    lastCommit: () => Promise.reject(new Error('there is none')),
    closedSet: () => Promise.reject(new Error('there is none')),
    reportStarted: () => undefined,
    reportFailed: () => undefined,
  };
  const shards = new ShardHost(lifecycle, silentLogger, systemClock);
  const apply = (state: ClusterState): Promise<void> => shards.apply(state, NODE.id, 0);
  return { calls, shards, apply, endClosing };
}

describe('shard host', () => {
  it('closes all after the state that it applies, and opens nothing after that', async () => {
    const { calls, shards, apply, endClosing } = host();
    const one = { number_of_replicas: 0, number_of_shards: 1 };
    const [first, second] = [clusterWith({ name: 'a', settings: one }), clusterWith({ name: 'b', settings: one })];
    await apply(first);
    const applying = apply(second);
    const closing = shards.closeAll();
    const late = apply(first);
    await turn();
    expect(calls).toEqual(['open a']);
    endClosing();
    await Promise.all([applying, closing, late]);
    await apply(second);
    const opened = calls.filter((call) => call.startsWith('open'));
    const closed = calls.filter((call) => call.startsWith('close'));
    expect(closed.map((call) => call.slice(6))).toEqual(opened.map((call) => call.slice(5)));
    const key = { index: 'b', indexUuid: indexOf(second, 'b').uuid, shard: 0 };
    await expect(shards.shard(key)).rejects.toMatchObject({ status: 503 });
  });
});

describe('a state that could not be applied to one shard', () => {
  it('is applied to the others with the next one', async () => {
    const opened: string[] = [];
    let isBroken = false;
    const lifecycle: ShardLifecycle = {
      open: (current) => {
        opened.push(current().name);
        return Promise.resolve({} as OpenShard);
      },
      update: () => undefined,
      follow: () => {
        if (isBroken) throw new Error('broken');
      },
      close: () => Promise.resolve(),
      deleteFiles: () => Promise.resolve(),
      lastCommit: () => Promise.reject(new Error('there is none')),
      closedSet: () => Promise.reject(new Error('there is none')),
      reportStarted: () => undefined,
      reportFailed: () => undefined,
    };
    const shards = new ShardHost(lifecycle, silentLogger, systemClock);
    const one = { number_of_replicas: 0, number_of_shards: 1 };
    const state = clusterWith({ name: 'a', settings: one }, { name: 'b', settings: one }, { name: 'c', settings: one });
    const own = [...state.routing].filter(
      ([
        ,
        {
          shards: [copies],
        },
      ]) => copies?.[0]?.workerSlot === 0,
    );
    const [first, second] = own.map(([name]) => name);
    await shards.apply({ ...state, routing: new Map(own.slice(0, 1)) }, NODE.id, 0);
    await turn();
    const next = { ...state, routing: new Map(own.map(([name, table]) => [name, { ...table }])) };
    isBroken = true;
    await expect(shards.apply(next, NODE.id, 0)).rejects.toThrow('broken');
    expect(opened).toEqual([first]);
    isBroken = false;
    await shards.apply({ ...next, version: next.version + 1 }, NODE.id, 0);
    expect(opened).toEqual([first, second]);
  });
});

describe('a worker that is given many shards', () => {
  const OPENED_AT_ONCE = 4;
  const SHARDS = 20;

  it('opens a few at once, and none that went before its turn', async () => {
    const opening = new Map<number, (shard: OpenShard) => void>();
    const reports: number[] = [];
    const lifecycle: ShardLifecycle = {
      open: (_current, { shard }) => new Promise((resolve) => opening.set(shard, resolve)),
      update: () => undefined,
      follow: () => undefined,
      close: () => Promise.resolve(),
      deleteFiles: () => Promise.resolve(),
      lastCommit: () => Promise.reject(new Error('there is none')),
      closedSet: () => Promise.reject(new Error('there is none')),
      reportStarted: (_report, others) => reports.push(others),
      reportFailed: () => expect.unreachable(),
    };
    const shards = new ShardHost(lifecycle, silentLogger, systemClock);
    const finish = async (shard: number): Promise<void> => {
      opening.get(shard)?.({} as OpenShard);
      await turn();
    };
    const settings = { number_of_replicas: 0, number_of_shards: SHARDS };
    const state = clusterWith({ name: 'a', settings });
    const { uuid } = indexOf(state, 'a');
    const table = state.routing.get('a');
    const own = table?.shards.flat().filter(({ nodeId, workerSlot }) => nodeId === NODE.id && workerSlot === 0) ?? [];
    expect(own.length).toBeGreaterThan(OPENED_AT_ONCE);
    await shards.apply(state, NODE.id, 0);
    await turn();
    const begun = [...opening.keys()];
    expect(begun).toHaveLength(OPENED_AT_ONCE);
    await finish(begun[0] ?? 0);
    expect(opening.size).toBe(OPENED_AT_ONCE + 1);
    const waiting = own.map(({ shard }) => shard).filter((shard) => !opening.has(shard));
    const last = waiting.at(-1) ?? -1;
    const asked = shards.shard({ index: 'a', indexUuid: uuid, shard: last });
    asked.catch(() => undefined);
    const gone = { ...state, indices: new Map(), routing: new Map() };
    const applied = shards.apply(gone, NODE.id, 0);
    for (const shard of opening.keys()) await finish(shard);
    await applied;
    expect(opening.size).toBe(OPENED_AT_ONCE + 1);
    await expect(asked).rejects.toMatchObject({ type: 'no_shard_available_action_exception' });
    expect(reports.every((others) => others > 0)).toBe(true);
  });
});

describe('a shard that is restored', () => {
  it('is waited for by those alone that wait so long, and by all when it is opened the next time', async () => {
    const openings: { readonly end: () => void; readonly restores: () => void }[] = [];
    const lifecycle: ShardLifecycle = {
      open: (_current, _copy, _recovery, _onFailure, restores) =>
        new Promise((resolve) => {
          openings.push({ restores, end: () => resolve({} as OpenShard) });
        }),
      update: () => undefined,
      follow: () => undefined,
      close: () => Promise.resolve(),
      deleteFiles: () => Promise.resolve(),
      lastCommit: () => Promise.reject(new Error('there is none')),
      closedSet: () => Promise.reject(new Error('there is none')),
      reportStarted: () => undefined,
      reportFailed: () => expect.unreachable(),
    };
    const shards = new ShardHost(lifecycle, silentLogger, systemClock);
    const state = clusterWith({ name: 'a', settings: { number_of_replicas: 0, number_of_shards: 1 } });
    const index = indexOf(state, 'a');
    const key = { index: 'a', indexUuid: index.uuid, shard: 0 };
    const refusal = {
      type: 'no_shard_available_action_exception',
      message: 'No shard available for [a][0]: it is being restored',
    };
    await shards.apply(state, NODE.id, 0);
    await turn();
    const writing = shards.shard(key);
    // Whether it is a restore shows when the opening has begun.
    const reading = shards.shard(key, 'not-for-restores');
    openings[0]?.restores();
    await expect(reading).rejects.toMatchObject(refusal);
    await expect(shards.shard(key, 'not-for-restores')).rejects.toMatchObject(refusal);
    openings[0]?.end();
    const shard = await writing;
    expect(await shards.shard(key, 'not-for-restores')).toBe(shard);
    const nextTerm = { ...index, primaryTerms: index.primaryTerms.map((term) => term + 1) };
    await shards.apply({ ...state, indices: new Map([['a', nextTerm]]) }, NODE.id, 0);
    await turn();
    const again = shards.shard(key, 'not-for-restores');
    openings[1]?.end();
    expect(await again).not.toBe(shard);
  });
});

describe('what a shard refuses', () => {
  const key = { index: 'a', indexUuid: 'u', shard: 2 };
  const refusal = new QuarryError('illegal_state_exception', 'the shard is closed');

  const shut = (shutBecause: string | undefined, hasFailed: boolean) => ({ key, shutBecause, hasFailed });

  it('is answered as a shard that is not available when it failed or is being closed', () => {
    for (const isRead of [false, true]) {
      expect(orShardGone(refusal, shut('the disk is full', true), isRead)).toMatchObject({
        type: 'no_shard_available_action_exception',
        status: 503,
        message: 'No shard available for [a][2]: the disk is full',
      });
    }
    const cancelled = new QuarryError('task_cancelled_exception', 'merge was cancelled');
    expect(orShardGone(cancelled, shut('the shard is being closed', false), false)).toMatchObject({ status: 503 });
  });

  it('is answered to reads as a shard that is not there when it is being closed', () => {
    expect(orShardGone(refusal, shut('the shard is being closed', false), true)).toMatchObject({
      type: 'shard_not_found_exception',
      details: { index: 'a', index_uuid: 'u', shard: '2' },
    });
  });

  it('is answered as it is otherwise', () => {
    const conflict = new QuarryError('version_conflict_engine_exception', 'conflict');
    for (const isRead of [false, true]) {
      expect(orShardGone(refusal, shut(undefined, false), isRead)).toBe(refusal);
      expect(orShardGone(conflict, shut('the disk is full', true), isRead)).toBe(conflict);
    }
  });
});
