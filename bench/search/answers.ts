/** Whether two servers gave the same answer to a search. */
import type { Json } from '../json.js';

interface Answer {
  readonly timed_out: boolean;
  readonly _shards: { readonly failed: number };
  readonly hits: {
    readonly total: { readonly value: number; readonly relation: string };
    readonly hits: readonly { readonly _score: number | null; readonly sort?: Json; readonly highlight?: Json }[];
  };
  readonly aggregations?: Json;
}

/** Scores agree to so much; sums of the same numbers in another order, too. */
const EXACT = 1e-4;

export function parseAnswer(bytes: Buffer): Answer {
  const answer = JSON.parse(bytes.toString()) as Answer;
  if (answer.timed_out || answer._shards.failed > 0)
    throw new Error(`not a whole answer: ${bytes.toString('utf8', 0, 500)}`);
  return answer;
}

/** How many documents were found, or at least were. */
export function totalOf({ hits }: Answer): { readonly value: number; readonly isExact: boolean } {
  return { value: hits.total.value, isExact: hits.total.relation === 'eq' };
}

/**
 * Where the answers differ, as a path with both values; undefined where they agree. Which of several documents with equal scores or sort
 * values is told is left to each server: hits are compared by these values alone. Aggregations that are estimates are not compared.
 */
export function differenceOf(ours: Answer, theirs: Answer, areEstimates: boolean): string | undefined {
  return (
    difference(essence(ours), essence(theirs), 'hits') ??
    (areEstimates ? undefined : difference(ours.aggregations ?? null, theirs.aggregations ?? null, 'aggregations'))
  );
}

function essence({ hits }: Answer): Json {
  return {
    total: { ...hits.total },
    hits: hits.hits.map(({ _score: score, sort, highlight }) => [score, sort ?? null, highlight === undefined]),
  };
}

function difference(ours: Json | undefined, theirs: Json | undefined, at: string): string | undefined {
  if (typeof ours === 'number' && typeof theirs === 'number') {
    const apart = Math.abs(ours - theirs) / Math.max(1e-9, Math.abs(ours), Math.abs(theirs));
    return apart <= EXACT ? undefined : `${at}: ${ours} and ${theirs}`;
  }
  if (typeof ours !== 'object' || typeof theirs !== 'object' || ours === null || theirs === null) {
    return ours === theirs ? undefined : `${at}: ${JSON.stringify(ours)} and ${JSON.stringify(theirs)}`;
  }
  const left = new Map(Object.entries(ours));
  const right = new Map(Object.entries(theirs));
  for (const key of new Set([...left.keys(), ...right.keys()])) {
    const found = difference(left.get(key), right.get(key), `${at}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
