/** What becomes of reads and writes when copies are lost: state and copies are made up. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { ActionContext } from '../../src/actions/context.js';
import { ADAPTIVE, parsePreference } from '../../src/actions/copy-preference.js';
import { CopyRanks } from '../../src/actions/copy-ranks.js';
import { writeToShard } from '../../src/actions/documents/write-to-shard.js';
import type { WriteItemsInput, WriteItemsOutput } from '../../src/actions/operations/write-items.js';
import { CopyFailure, readFromCopies } from '../../src/actions/read-from-copies.js';
import type { CopyPlace, ShardKey } from '../../src/actions/shard-client.js';
import { must } from '../../src/base/assert.js';
import { Cancellation } from '../../src/base/cancellation.js';
import { systemClock } from '../../src/base/clock.js';
import { QuarryError, type ErrorType } from '../../src/base/errors.js';
import type { ClusterState, ShardCopy } from '../../src/cluster/state.js';
import { publishFull } from '../../src/coordinator/publish.js';
import { StateHolder } from '../../src/coordinator/state-holder.js';
import { splitBulk } from '../../src/native/bulk.js';
import { actionOfItem } from '../../src/native/descriptor.js';
import { clusterWith, indexOf, NODE } from '../cluster/support.js';

const TIMEOUT_MS = 5_000;

let states: StateHolder;
let asked: { readonly nodeId: string; readonly input: WriteItemsInput }[];
/** What the calls do, in turn; the last one goes on. */
let answers: (() => unknown)[];
let context: ActionContext;
let key: ShardKey;

beforeEach(() => {
  const made = clusterWith({ name: 'a' });
  const nodes = new Map(['n1', 'n2'].map((id) => [id, { ...NODE, id }]));
  states = new StateHolder(systemClock);
  states.apply(publishFull({ ...made, nodes }));
  asked = [];
  answers = [];
  setCopies('n1', 'n2');
  key = { index: 'a', indexUuid: indexOf(states.current, 'a').uuid, shard: 0 };
  const onCopy = (_key: ShardKey, { nodeId }: CopyPlace, _name: string, input: WriteItemsInput): Promise<unknown> => {
    asked.push({ nodeId, input });
    const answer = must(answers[Math.min(asked.length, answers.length) - 1], 'answer');
    return Promise.resolve().then(answer);
  };
  context = {
    clusterState: () => states.current,
    whenState: (holds: (state: ClusterState) => boolean, timeoutMs: number) => states.when(holds, timeoutMs),
    node: { id: 'n1' },
    clock: systemClock,
    cancellation: new Cancellation(),
    shards: {
      ranks: new CopyRanks(),
      onCopy,
      read: async (read: ShardKey, place: CopyPlace, name: string, input: WriteItemsInput) => ({
        place,
        output: await onCopy(read, place, name, input),
      }),
    },
  } as unknown as ActionContext;
});

/** The first is the primary; null is an unassigned one. */
function setCopies(...nodeIds: readonly (string | null)[]): void {
  const { current } = states;
  const routing = must(current.routing.get('a'), 'routing');
  const copies = nodeIds.map((nodeId, at): ShardCopy => {
    const held = { nodeId, workerSlot: 0, allocationId: `on-${nodeId ?? ''}`, state: 'STARTED' } as const;
    const none = { nodeId: null, workerSlot: null, allocationId: null, state: 'UNASSIGNED' } as const;
    return {
      ...(nodeId === null ? none : held),
      shard: 0,
      primary: at === 0,
      relocatingNodeId: null,
      unassigned: null,
    };
  });
  const table = new Map([['a', { ...routing, shards: [copies] }]]);
  states.apply(publishFull({ ...current, version: current.version + 1, routing: table }));
}

function fail(type: ErrorType, reason = 'lost'): () => never {
  return () => {
    throw new QuarryError(type, reason);
  };
}

function askedNodes(): string[] {
  return asked.map(({ nodeId }) => nodeId);
}

describe('a read', () => {
  const read = (preference?: string): ReturnType<typeof readFromCopies> =>
    readFromCopies(context, key, parsePreference(preference).copies, 'refresh', null);

  it('goes to the next copy when one fails', async () => {
    answers = [fail('node_disconnected_exception'), () => 'found'];
    expect(await read('_local')).toEqual({ place: { nodeId: 'n2', workerSlot: 0 }, output: 'found' });
    expect(askedNodes()).toEqual(['n1', 'n2']);
  });

  it('that is wrong fails at once', async () => {
    answers = [fail('parsing_exception', 'wrong')];
    expect(await read()).toMatchObject({ error: { message: 'wrong' }, nodeId: 'n1' });
    expect(askedNodes()).toHaveLength(1);
  });

  it('waits for the state that tells where a copy went which its node has closed', async () => {
    setCopies('n1');
    answers = [
      () => {
        setTimeout(() => {
          setCopies('n2');
        }, 20);
        throw new QuarryError('shard_not_found_exception', 'moved');
      },
      () => 'found',
    ];
    expect(await read()).toMatchObject({ output: 'found', place: { nodeId: 'n2' } });
  });

  it('finds a copy that came meanwhile', async () => {
    answers = [
      () => {
        setCopies('n2');
        throw new QuarryError('shard_not_found_exception', 'moved');
      },
      () => 'found',
    ];
    setCopies('n1');
    expect(await read('_primary')).toMatchObject({ output: 'found' });
    expect(askedNodes()).toEqual(['n1', 'n2']);
  });

  it('tells the last failure, and who failed', async () => {
    answers = [fail('node_disconnected_exception'), fail('node_not_connected_exception', 'nobody there')];
    const failure = await read('_local');
    expect(failure).toBeInstanceOf(CopyFailure);
    expect(failure).toMatchObject({ error: { message: 'nobody there' }, nodeId: 'n2' });
    setCopies(null);
    expect(await readFromCopies(context, key, ADAPTIVE, 'refresh', null)).toMatchObject({
      error: { type: 'no_shard_available_action_exception' },
      nodeId: undefined,
    });
  });

  it('of copies that are not open are unavailable, not missing', async () => {
    answers = [fail('shard_not_found_exception', 'no such shard'), fail('shard_not_found_exception', 'no such shard')];
    expect(await read('_local')).toMatchObject({
      error: { type: 'no_shard_available_action_exception', message: 'No shard available for [a][0]: no such shard' },
      nodeId: 'n2',
    });
  });

  it('that nobody waits for is not tried again', async () => {
    answers = [
      () => {
        context.cancellation.cancel();
        throw new QuarryError('task_cancelled_exception', 'cancelled');
      },
    ];
    await read();
    expect(askedNodes()).toHaveLength(1);
  });
});

describe('a write', () => {
  const DONE: WriteItemsOutput = { answers: [], status: 201, failed: 0 };

  function write(lines: readonly unknown[], timeoutMs = TIMEOUT_MS): Promise<WriteItemsOutput> {
    const body = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''), 'utf8');
    const items = splitBulk(body, { index: 'a' }, new Uint8Array(11));
    const selection = Uint32Array.from({ length: items.descriptors.length / 16 }, (_, at) => at);
    const input: WriteItemsInput = { body, items, selection, refresh: 'none', bare: false, timeoutMs: 1_000 };
    const index = indexOf(states.current, 'a');
    return writeToShard({ index, shard: 0, input, activeShards: undefined, timeoutMs }, context);
  }
  const SIMPLE = [{ create: { _id: '1' } }, { n: 1 }];

  it('goes to the primary, and to the next one as soon as there is one', async () => {
    answers = [
      () => {
        setTimeout(() => {
          setCopies('n2', null);
        }, 5);
        throw new QuarryError('node_not_connected_exception', 'gone');
      },
      () => DONE,
    ];
    expect(await write(SIMPLE)).toBe(DONE);
    expect(askedNodes()).toEqual(['n1', 'n2']);
  });

  it('waits for a primary, and says so when none comes', async () => {
    setCopies(null);
    answers = [() => DONE];
    const waiting = write(SIMPLE);
    setTimeout(() => {
      setCopies('n2');
    }, 5);
    expect(await waiting).toBe(DONE);
    setCopies(null);
    await expect(write(SIMPLE, 1)).rejects.toThrow(
      '[a][0] primary shard is not active Timeout: [1ms], request: [BulkShardRequest [[a][0]] containing [1] requests]',
    );
  });

  it('that reached no primary in time is answered as unavailable, not as missing', async () => {
    answers = [fail('shard_not_found_exception', 'no such shard')];
    await expect(write(SIMPLE, 1)).rejects.toMatchObject({
      type: 'unavailable_shards_exception',
      message: expect.stringContaining('[a][0] primary shard was not reached (no such shard) Timeout: [1ms]'),
    });
  });

  it('repeats after a loss only what that does not change', async () => {
    answers = [fail('node_disconnected_exception', 'lost'), () => ({ ...DONE, failed: 0 })];
    const output = await write([...[{ index: {} }, { n: 0 }], ...SIMPLE, { delete: { _id: '2' } }]);
    expect([...must(asked[1], 'second').input.selection]).toEqual([0, 2]);
    expect(actionOfItem(must(asked[1], 'second').input.items, 0)).toBe('index');
    expect(output.failed).toBe(1);
    const [lost] = output.answers;
    expect([...must(lost, 'lost').places]).toEqual([1]);
    expect(JSON.parse(Buffer.from(must(lost, 'lost').items).toString('utf8'))).toEqual({
      create: { _index: 'a', _id: '1', status: 503, error: { type: 'node_disconnected_exception', reason: 'lost' } },
    });
  });

  it('of which nothing can be repeated fails with the loss', async () => {
    answers = [fail('node_disconnected_exception')];
    expect(await write(SIMPLE)).toMatchObject({ status: 503, failed: 1 });
    expect(askedNodes()).toHaveLength(1);
  });

  it('that is refused is not repeated', async () => {
    answers = [fail('circuit_breaking_exception', 'too much')];
    await expect(write(SIMPLE)).rejects.toThrow('too much');
    expect(askedNodes()).toHaveLength(1);
  });

  it('ends with its index', async () => {
    setCopies(null);
    const waiting = write(SIMPLE);
    states.apply(publishFull({ ...states.current, indices: new Map() }));
    await expect(waiting).rejects.toMatchObject({ type: 'index_not_found_exception' });
  });
});
