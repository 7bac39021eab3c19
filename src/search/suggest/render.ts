/** `suggest` of an answer. */
import type { ShardEntry, SuggestOption } from './reduce.js';
import type { Suggestion } from './suggest-plan.js';

export interface FoundSuggestion {
  readonly suggestion: Suggestion;
  readonly entries: readonly ShardEntry[];
}

/** The object as JSON text. */
export function renderSuggestions(found: readonly FoundSuggestion[], typedKeys: boolean): string {
  const members = found.map(({ suggestion, entries }) => {
    const [kind] = Object.keys(suggestion.plan);
    const name = typedKeys ? `${kind}#${suggestion.name}` : suggestion.name;
    return `${JSON.stringify(name)}:[${entries.map(renderEntry).join(',')}]`;
  });
  return `{${members.join(',')}}`;
}

function renderEntry({ text, offset, length, options }: ShardEntry): string {
  const head = JSON.stringify({ text, offset, length });
  return `${head.slice(0, -1)},"options":[${options.map(renderOption).join(',')}]}`;
}

/** A hit is text already, in which numbers keep all their digits. */
function renderOption({ text, score, freq, highlighted, hit, contexts, collateMatch }: SuggestOption): string {
  if (hit === undefined) {
    return JSON.stringify({ text, highlighted, score, freq, collate_match: collateMatch });
  }
  const own = JSON.stringify({ text }).slice(0, -1);
  const ofHit = hit.slice(1, -1);
  const places = contexts === undefined ? '' : `,"contexts":${JSON.stringify(contexts)}`;
  return `${own}${ofHit === '' ? '' : ','}${ofHit}${places}}`;
}
