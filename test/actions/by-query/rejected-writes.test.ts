/** Writes that were turned away: which are tried again, when, and what becomes of their answers. */
import { describe, expect, it } from 'vitest';
import {
  allRejected,
  joined,
  pauseBeforeRetryMs,
  piecesOf,
  rejectedPlaces,
  withRetried,
  writesAt,
} from '../../../src/actions/by-query/rejected-writes.js';
import { QuarryError } from '../../../src/base/errors.js';
import type { BulkAnswer } from '../../../src/actions/documents/bulk.js';

function answer(...statuses: readonly number[]): BulkAnswer {
  const items = statuses.map((status, at) => ({ index: { _id: String(at), status } }));
  const errors = statuses.some((status) => status >= 300);
  return { errors, items: Buffer.from(JSON.stringify(items)), ingestTookMs: undefined };
}

describe('writes that were turned away', () => {
  it('are tried again, unless something else is wrong', () => {
    expect(rejectedPlaces(answer(200, 429, 201, 429))).toEqual([1, 3]);
    expect(rejectedPlaces(answer(200, 429, 409))).toEqual([]);
    expect(rejectedPlaces(answer(200))).toEqual([]);
  });

  it('have their second answers in the places of the first', () => {
    const both = withRetried(answer(200, 429, 201, 429), [1, 3], answer(201, 429));
    expect(rejectedPlaces(both)).toEqual([3]);
    expect(rejectedPlaces(withRetried(both, [3], answer(200)))).toEqual([]);
    // The job was cancelled before the last one was tried again.
    expect(rejectedPlaces(withRetried(answer(429, 429), [0, 1], answer(200)))).toEqual([1]);
  });

  it('are those of their places', () => {
    const action = (id: string) => ({ action: 'delete' as const, id, index: 0, start: 0, length: 0 });
    const writes = { body: new Uint8Array(0), indexNames: ['a'], actions: [action('x'), action('y'), action('z')] };
    expect(writesAt(writes, [0, 2]).actions.map(({ id }) => id)).toEqual(['x', 'z']);
  });

  it('are tried in pieces, whose answers are one', () => {
    const action = (id: string) => ({ action: 'delete' as const, id, index: 0, start: 0, length: 0 });
    const writes = { body: new Uint8Array(0), indexNames: ['a'], actions: ['x', 'y', 'z'].map(action) };
    const idsOf = (size: number) => piecesOf(writes, size).map(({ actions }) => actions.map(({ id }) => id));
    expect([idsOf(1), idsOf(2), idsOf(3)]).toEqual([[['x'], ['y'], ['z']], [['x', 'y'], ['z']], [['x', 'y', 'z']]]);
    expect(rejectedPlaces(joined([answer(200, 429), answer(200)]))).toEqual([1]);
    expect(joined([answer(200), answer(201)]).errors).toBe(false);
  });

  it('may all be turned away at once', () => {
    const action = (id: string) => ({ action: 'index' as const, id, index: 0, start: 0, length: 0 });
    const writes = { body: new Uint8Array(0), indexNames: ['a'], actions: [action('x'), action('y')] };
    const rejected = allRejected(writes, new QuarryError('es_rejected_execution_exception', 'full'));
    expect(rejectedPlaces(rejected)).toEqual([0, 1]);
    expect(JSON.parse(Buffer.from(rejected.items).toString('utf8'))[1].index).toEqual({
      _index: 'a',
      _id: 'y',
      status: 429,
      error: { type: 'es_rejected_execution_exception', reason: 'full' },
    });
  });

  it('wait longer and longer', () => {
    const pauses = [...Array(11).keys()].map(pauseBeforeRetryMs);
    expect(pauses[0]).toBe(500);
    expect(pauses.at(-1)).toBeGreaterThan(29_000);
    expect([...pauses].sort((left, right) => left - right)).toEqual(pauses);
  });
});
