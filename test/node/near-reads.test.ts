/** How long the front answers at once before others have their turn. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { NodeIdentity } from '../../src/actions/context.js';
import { systemClock } from '../../src/base/clock.js';
import { NO_TIME } from '../../src/http/late-reads.js';
import { AT_ONCE_MS_MAX, NearReads, type NearReadServices } from '../../src/node/front/near-reads.js';
import type { BareRequest, WireAnswer, WireRequest, WireRoute } from '../../src/rest/wire.js';

const NEAR = { placement: 'near' } as WireRoute;
const ANY = {} as BareRequest;

it('clients that send request after request without waiting hold it for a turn of bounded length', async () => {
  let nowMs = 0;
  const clock = { ...systemClock, monotonicMs: () => nowMs };
  const activeWait = { noteAnswer: () => undefined };
  const reads = new NearReads({ clock, activeWait } as unknown as NearReadServices);
  const answer = { status: 200 };
  let mayFind = true;
  Object.assign(reads, { reader: { atOnce: { find: () => answer, mayFind: () => mayFind, isSearch: () => false } } });
  expect(reads.answerAtOnce(ANY, undefined, NEAR, true)).toBe(answer);
  nowMs += AT_ONCE_MS_MAX - 1;
  expect(reads.answerAtOnce(ANY, undefined, NEAR, true)).toBe(answer);
  nowMs += 1;
  expect(reads.answerAtOnce(ANY, undefined, NEAR, true)).toBe(NO_TIME);
  expect(reads.answerAtOnce(ANY, undefined, NEAR, true)).toBe(NO_TIME);
  // What takes the usual way anyway does not wait.
  mayFind = false;
  expect(reads.answerAtOnce(ANY, undefined, NEAR, true)).toBeUndefined();
  await nextTurn();
  expect(reads.answerAtOnce(ANY, undefined, NEAR, true)).toBe(answer);
  mayFind = true;
  expect(reads.answerAtOnce(ANY, undefined, NEAR, false)).toBe(NO_TIME);
});

/** All that promises have left to do, without another turn of the event loop. */
async function microtasks(): Promise<void> {
  for (let round = 0; round < 50; round++) await Promise.resolve();
}

describe('a search', () => {
  const SEARCH = { parts: { index: 'i' }, query: '', body: new Uint8Array(2) } as unknown as WireRequest;
  const NODE = { id: 'n' } as NodeIdentity;

  function readsOf(hasIdle: () => boolean): {
    readonly ask: () => Promise<WireAnswer> | undefined;
    readonly askAtOnce: (isNext: boolean) => WireAnswer | symbol | undefined;
    readonly pass: (ms: number) => void;
  } {
    let nowMs = 0;
    const clock = { ...systemClock, monotonicMs: () => nowMs };
    const copies = [{ nodeId: NODE.id, workerSlot: 0, state: 'STARTED' }];
    const current = {
      indices: new Map([['i', { name: 'i', state: 'open' }]]),
      routing: new Map([['i', { shards: [copies] }]]),
    };
    const activeWait = { during: (answer: Promise<WireAnswer>) => answer, noteAnswer: () => undefined };
    const idle = {
      get hasSome() {
        return hasIdle();
      },
    };
    const services = { clock, activeWait, idle, parts: { states: { current } } };
    const reads = new NearReads(services as unknown as NearReadServices);
    const atOnce = { isForOwner: () => false, isSearch: () => true, find: () => ({ status: 201 }) };
    const reader = { atOnce, answer: () => Promise.resolve({ status: 200 }) };
    Object.assign(reads, { reader });
    return {
      ask: () => reads.answer(SEARCH, NEAR, NODE),
      askAtOnce: (isNext) => reads.answerAtOnce(SEARCH, SEARCH.body, NEAR, isNext),
      pass: (ms) => void (nowMs += ms),
    };
  }

  it('goes to a worker when a turn of the event loop has had its share, if a processor is idle', async () => {
    const { ask, pass } = readsOf(() => true);
    expect(await ask()).toEqual({ status: 200 });
    pass(0.2);
    expect(ask()).toBeDefined();
    pass(0.1);
    expect(ask()).toBeUndefined();
    await nextTurn();
    expect(ask()).toBeDefined();
  });

  it('is answered at once within the share of a turn alone, if a processor is idle, and not before those that wait', async () => {
    const { askAtOnce, pass } = readsOf(() => true);
    expect(askAtOnce(true)).toEqual({ status: 201 });
    expect(askAtOnce(false)).toBe(NO_TIME);
    pass(0.3);
    expect(askAtOnce(true)).toBeUndefined();
    await nextTurn();
    expect(askAtOnce(true)).toEqual({ status: 201 });
  });

  it('is answered at once for the time of a turn, if all processors are busy', async () => {
    const { askAtOnce, pass } = readsOf(() => false);
    expect(askAtOnce(true)).toEqual({ status: 201 });
    pass(1.9);
    expect(askAtOnce(true)).toEqual({ status: 201 });
    pass(0.1);
    expect(askAtOnce(true)).toBe(NO_TIME);
    await nextTurn();
    expect(askAtOnce(true)).toEqual({ status: 201 });
  });

  it('is answered soon in the usual way too, however many are answered at once, if all processors are busy', async () => {
    const { ask, askAtOnce, pass } = readsOf(() => false);
    let turns = 0;
    // As many as there is time for, turn after turn, as `LateReads` has them.
    const answerLate = (): void => {
      while (askAtOnce(true) !== NO_TIME) pass(0.5);
      if (++turns < 20) setImmediate(answerLate);
    };
    answerLate();
    expect(await ask()).toEqual({ status: 200 });
    pass(2);
    expect(await ask()).toEqual({ status: 200 });
    expect(turns).toBeLessThan(5);
  });

  it('waits for the next turn when this one has had its time, if all processors are busy', async () => {
    const { ask, pass } = readsOf(() => false);
    expect(await ask()).toEqual({ status: 200 });
    pass(1.9);
    expect(await ask()).toEqual({ status: 200 });
    pass(0.1);
    const order: number[] = [];
    const later = [1, 2, 3].map(async (place) => {
      await ask();
      order.push(place);
    });
    await microtasks();
    expect(order).toEqual([]);
    await Promise.all(later);
    expect(order).toEqual([1, 2, 3]);
  });
});
