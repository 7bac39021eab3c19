/** What shards suggest, merged: pure. */
import { QuarryError } from '../../base/errors.js';
import type { SuggesterPlan, Suggestion } from './suggest-plan.js';

/** As the kernels write it (`native-bindings/suggest/src/lib.rs`). */
export interface ShardEntry {
  readonly text: string;
  readonly offset: number;
  readonly length: number;
  readonly cutoff?: number;
  readonly options: readonly SuggestOption[];
}

export interface SuggestOption {
  readonly text: string;
  readonly score: number;
  readonly freq?: number;
  readonly highlighted?: string;
  /** The document as a hit shows it: JSON text. */
  readonly hit?: string;
  readonly contexts?: Readonly<Record<string, readonly string[]>>;
  readonly collateMatch?: boolean;
}

/** The entries of a suggestion over all shards. Options are in order, and more than may be shown where phrases are still to be collated. */
export function reduceSuggestion(
  { plan, size, collate }: Suggestion,
  shards: readonly (readonly ShardEntry[])[],
): readonly ShardEntry[] {
  const [first] = shards;
  if (first === undefined) return [];
  return first.map((leader, at) => {
    const entries = shards.map((entries) => matching(entries, first.length, at, leader));
    const options = 'completion' in plan ? completions(plan, entries) : mergedOptions(plan, entries);
    return { ...leader, options: collate === undefined ? options.slice(0, size) : options };
  });
}

const DIFFERENT_ANALYSIS =
  'this might be caused by suggest calls across multiple indices with different analysis chains.';

function matching(entries: readonly ShardEntry[], count: number, at: number, leader: ShardEntry): ShardEntry {
  if (entries.length !== count) {
    throw new QuarryError(
      'illegal_state_exception',
      `Can't merge suggest result, ${DIFFERENT_ANALYSIS} Suggest entries have different sizes actual ` +
        `[${entries.length}] expected [${count}]`,
    );
  }
  const entry = entries[at];
  if (entry?.text === leader.text) return entry;
  throw new QuarryError(
    'illegal_state_exception',
    `Can't merge suggest entries, ${DIFFERENT_ANALYSIS} Suggest entries have different text actual ` +
      `[${entry?.text ?? ''}] expected [${leader.text}]`,
  );
}

type Compare = (left: SuggestOption, right: SuggestOption) => number;

const byText: Compare = (left, right) => Buffer.compare(Buffer.from(left.text), Buffer.from(right.text));
const byScore: Compare = (left, right) => right.score - left.score;
const byFrequency: Compare = (left, right) => (right.freq ?? 0) - (left.freq ?? 0);

function orderOf(plan: SuggesterPlan): readonly Compare[] {
  if (!('term' in plan)) return [byScore, byText];
  return plan.term.spell.sort === 'frequency' ? [byFrequency, byScore, byText] : [byScore, byFrequency, byText];
}

/** One option for each text, above what the entries ask for. */
function mergedOptions(plan: SuggesterPlan, entries: readonly ShardEntry[]): readonly SuggestOption[] {
  const cutoff = Math.max(...entries.map((entry) => entry.cutoff ?? -Infinity));
  const merged = new Map<string, SuggestOption>();
  for (const option of entries.flatMap(({ options }) => options)) {
    const known = merged.get(option.text);
    merged.set(option.text, known === undefined ? option : joined(known, option));
  }
  const order = orderOf(plan);
  const options = [...merged.values()].filter(({ score }) => score > cutoff);
  return options.sort((left, right) => {
    for (const compare of order) {
      const result = compare(left, right);
      if (result !== 0) return result;
    }
    return 0;
  });
}

function joined(left: SuggestOption, right: SuggestOption): SuggestOption {
  const freq = left.freq === undefined ? {} : { freq: left.freq + (right.freq ?? 0) };
  return { ...left, ...freq, score: Math.max(left.score, right.score) };
}

/** Documents of all shards by score and text; of equal ones those of the first shard come first. */
function completions(
  { completion }: Extract<SuggesterPlan, { completion: unknown }>,
  entries: readonly ShardEntry[],
): readonly SuggestOption[] {
  const options = entries.flatMap((entry) => entry.options);
  const sorted = options.sort((left, right) => byScore(left, right) || byText(left, right));
  if (!completion.skip_duplicates) return sorted;
  const seen = new Set<string>();
  return sorted.filter(({ text }) => !seen.has(text) && seen.add(text));
}
