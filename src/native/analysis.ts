/** Analysis outside a shard: the `_analyze` endpoint and the check of analysis settings. All texts are JSON. */
import { WorkCounter } from '../base/work-counters.js';
import { native } from './addon.js';
import { guarded } from './errors.js';

/** `index.analyze.max_token_count` */
export const MAX_TOKENS_DEFAULT = 10_000;

const analyses = new WorkCounter('analyze');

/**
 * Answers an `_analyze` body (without `field`, which the caller resolves) with the response as JSON. `analysis` are the
 * settings of the index that the request names; undefined when it names none. `shingle`: the part of a `search_as_you_type`
 * field that it means. `fieldGap`: the positions that the field leaves between its values, if it says so itself.
 */
export function analyze(
  analysis: string | undefined,
  request: string,
  maxTokens = MAX_TOKENS_DEFAULT,
  shingle?: { readonly size: number; readonly prefixes: boolean },
  fieldGap?: number,
): Uint8Array {
  return analyses.within(() => guarded(() => native().analyze(analysis, request, maxTokens, shingle, fieldGap)));
}

/** Throws `illegal_argument_exception` naming what is wrong with `index.analysis`. */
export function validateAnalysis(analysis: string): void {
  guarded(() => {
    native().validateAnalysis(analysis);
  });
}

/** Throws what is wrong with the scripts of a similarity, which is JSON. */
export function checkSimilarity(similarity: string): void {
  guarded(() => {
    native().checkSimilarity(similarity);
  });
}

/** Whether `index.analysis` or the built-in ones have this name. */
export function hasAnalyzer(analysis: string, name: string, kind: 'analyzer' | 'normalizer'): boolean {
  return guarded(() => native().hasAnalyzer(analysis, name, kind === 'normalizer'));
}
