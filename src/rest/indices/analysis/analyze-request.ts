/** Which members of an `_analyze` body may stand together. */
import { QuarryError } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';

/** Refuses with everything that is wrong at once, as the API does. */
export function checkAnalyzeRequest(body: JsonObject, namesIndex: boolean): void {
  const isGiven = (name: string): boolean => body[name] !== undefined && body[name] !== null;
  const hasAny = (name: string): boolean => isGiven(name) && !isEmptyList(body[name]);
  const hasComponents = isGiven('tokenizer') || hasAny('filter') || hasAny('char_filter');
  const problems = [
    !hasAny('text') && 'text is missing',
    isGiven('normalizer') && !namesIndex && 'index is required if normalizer is specified',
    isGiven('normalizer') &&
      (isGiven('tokenizer') || isGiven('analyzer')) &&
      'tokenizer/analyze should be null if normalizer is specified',
    isGiven('analyzer') && hasComponents && 'cannot define extra components on a named analyzer',
    isGiven('normalizer') && hasComponents && 'cannot define extra components on a named normalizer',
    isGiven('field') && hasComponents && 'cannot define extra components on a field-specific analyzer',
  ].filter((problem) => problem !== false);
  if (problems.length === 0) return;
  const reasons = problems.map((problem, at) => `${at + 1}: ${problem};`).join('');
  throw new QuarryError('action_request_validation_exception', `Validation Failed: ${reasons}`);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
