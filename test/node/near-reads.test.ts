/** How long the front answers at once before others have their turn. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { NO_TIME } from '../../src/http/late-reads.js';
import { AT_ONCE_MS_MAX, NearReads, type NearReadServices } from '../../src/node/front/near-reads.js';
import type { BareRequest, WireRoute } from '../../src/rest/wire.js';

const NEAR = { placement: 'near' } as WireRoute;
const ANY = {} as BareRequest;

it('clients that send request after request without waiting hold it for a turn of bounded length', async () => {
  let nowMs = 0;
  const clock = { ...systemClock, monotonicMs: () => nowMs };
  const activeWait = { noteAnswer: () => undefined };
  const reads = new NearReads({ clock, activeWait } as unknown as NearReadServices);
  const answer = { status: 200 };
  let mayFind = true;
  Object.assign(reads, { reader: { atOnce: { find: () => answer, mayFind: () => mayFind } } });
  expect(reads.answerAtOnce(ANY, NEAR, true)).toBe(answer);
  nowMs += AT_ONCE_MS_MAX - 1;
  expect(reads.answerAtOnce(ANY, NEAR, true)).toBe(answer);
  nowMs += 1;
  expect(reads.answerAtOnce(ANY, NEAR, true)).toBe(NO_TIME);
  expect(reads.answerAtOnce(ANY, NEAR, true)).toBe(NO_TIME);
  // What takes the usual way anyway does not wait.
  mayFind = false;
  expect(reads.answerAtOnce(ANY, NEAR, true)).toBeUndefined();
  await nextTurn();
  expect(reads.answerAtOnce(ANY, NEAR, true)).toBe(answer);
  mayFind = true;
  expect(reads.answerAtOnce(ANY, NEAR, false)).toBe(NO_TIME);
});
