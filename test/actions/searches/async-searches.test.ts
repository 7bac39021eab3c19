import { describe, expect, test } from 'vitest';
import { decodeAsyncId, encodeAsyncId } from '../../../src/actions/searches/async/async-id.js';
import {
  AsyncSearches,
  type AsyncSearch,
  type AsyncSearchStart,
} from '../../../src/actions/searches/async/async-searches.js';
import {
  ASYNC_ANSWER_BYTES_MAX,
  ContextCounters,
  contextWords,
} from '../../../src/actions/searches/contexts/context-counters.js';
import { systemRandom } from '../../../src/base/random.js';
import { SimulatedClock } from '../../coordinator/simulated-clock.js';

const DAY_MS = 86_400_000;

let counters: ContextCounters;

function answerOf(length: number): { bytes: Uint8Array; isPartial: boolean } {
  return { bytes: new Uint8Array(length), isPartial: false };
}

function setUp(): { clock: SimulatedClock; searches: AsyncSearches; cancelled: string[]; start: AsyncSearchStart } {
  const clock = new SimulatedClock();
  const cancelled: string[] = [];
  const start: AsyncSearchStart = {
    task: 1,
    owner: '',
    keepAliveMs: 60_000,
    answerBytesMax: 100,
    soFar: () => answerOf(0),
    cancel: () => cancelled.push('cancelled'),
  };
  counters = new ContextCounters(contextWords(3));
  const searches = new AsyncSearches(clock, systemRandom, counters);
  return { clock, searches, cancelled, start };
}

describe('AsyncSearches', () => {
  test('one that runs is cancelled when its time is over or it is removed', async () => {
    const { clock, searches, cancelled, start } = setUp();
    const { token } = searches.begin(start);
    await clock.advance(59_999);
    expect(searches.find(token)).toBeDefined();
    await clock.advance(1);
    expect(searches.find(token)).toBeUndefined();
    searches.remove(searches.begin(start));
    expect(cancelled).toHaveLength(2);
  });

  test('is kept for as long as is said last, for months too', async () => {
    const { clock, searches, cancelled, start } = setUp();
    const search = searches.begin(start);
    searches.complete(search, { answer: answerOf(1) });
    searches.prolong(search, 60 * DAY_MS);
    for (let day = 0; day < 59; day++) await clock.advance(DAY_MS);
    expect(searches.find(search.token)).toBe(search);
    await clock.advance(DAY_MS);
    expect(searches.find(search.token)).toBeUndefined();
    expect(cancelled).toEqual([]);
  });

  test('an answer that is too large to be kept is an error, one that is given at once is not', () => {
    const { searches, start } = setUp();
    const [given, late, early] = [searches.begin(start), searches.begin(start), searches.begin(start)];
    searches.complete(given, { answer: answerOf(101) });
    expect(given.outcome).toHaveProperty('answer');
    searches.keep(late);
    searches.complete(late, { answer: answerOf(101) });
    expect(late.outcome).toMatchObject({ error: { type: 'illegal_argument_exception' } });
    searches.complete(early, { answer: answerOf(101) });
    searches.keep(early);
    expect(early.outcome).toMatchObject({ error: { type: 'illegal_argument_exception' } });
  });

  test('too many are refused', () => {
    const { searches, start } = setUp();
    for (let count = 0; count < 1_000; count++) searches.begin(start);
    expect(() => searches.begin(start)).toThrow('Must be less than or equal to: [1000]');
    expect(searches.figures().refused).toBe(1);
  });

  test('answers are kept up to the limit of all, and counted', () => {
    const { searches, start } = setUp();
    const kept = (length: number): AsyncSearch => {
      const search = searches.begin({ ...start, answerBytesMax: Infinity });
      searches.keep(search);
      searches.complete(search, { answer: answerOf(length) });
      return search;
    };
    const largest = kept(ASYNC_ANSWER_BYTES_MAX);
    expect(largest.outcome).toHaveProperty('answer');
    expect(counters.asyncFigures()).toEqual({
      limitBytes: 2 * ASYNC_ANSWER_BYTES_MAX,
      usedBytes: ASYNC_ANSWER_BYTES_MAX,
      refused: 0,
    });
    expect(kept(1).outcome).toMatchObject({ error: { type: 'rejected_execution_exception' } });
    expect(searches.figures()).toMatchObject({ usedBytes: ASYNC_ANSWER_BYTES_MAX, refused: 1 });
    searches.remove(largest);
    expect(searches.figures().usedBytes).toBe(0);
    expect(kept(1).outcome).toHaveProperty('answer');
  });
});

describe('ids of async searches', () => {
  test('name worker and token', () => {
    const id = { place: { nodeId: 'aB-_1', workerSlot: 3 }, token: 'xyz-_9', task: 1795285347000006 };
    expect(decodeAsyncId(encodeAsyncId(id))).toEqual(id);
  });

  test.each(['', 'nope', Buffer.from('a/b/c').toString('base64url'), Buffer.from('a/1/2/../x').toString('base64url')])(
    'refuses [%s]',
    (text) => {
      expect(() => decodeAsyncId(text)).toThrow(`invalid id: [${text}]`);
    },
  );
});
