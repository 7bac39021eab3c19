/**
 * Searches that came before in the same words, kept as they were understood: those who watch something ask the same again and again, and to
 * understand a small search takes longer than to carry it out. What is kept holds for one cluster state only.
 */
import type { ClusterState } from '../../cluster/state.js';
import { isTimeless } from '../../search/plan/cache-key.js';
import type { PlannedSearch } from './search.js';

/** Longer requests are not kept: they cost little beside what they search for. */
export const PREPARED_WORDS_MAX = 8_192;
const SEARCHES_MAX = 256;

export interface PreparedSearch {
  readonly planned: PlannedSearch;
  readonly totalAsInt: boolean;
  /** See `usesOf`. */
  readonly uses: readonly number[];
}

export class PreparedSearches {
  private readonly searches = new Map<string, PreparedSearch>();
  private state: ClusterState | undefined;

  /** `words` are all that the client said, in no more than {@link PREPARED_WORDS_MAX} characters. */
  find(words: string, state: ClusterState): PreparedSearch | undefined {
    return state === this.state ? this.searches.get(words) : undefined;
  }

  /** Keeps it if it means the same next time; the one that was kept first gives way. `state` is what it was understood by. */
  keep(words: string, state: ClusterState, search: PreparedSearch): void {
    if (words.length > PREPARED_WORDS_MAX || !isRepeatable(search.planned)) return;
    if (state !== this.state) this.searches.clear();
    this.state = state;
    const [oldest] = this.searches.size < SEARCHES_MAX ? [] : this.searches.keys();
    if (oldest !== undefined) this.searches.delete(oldest);
    this.searches.set(words, search);
  }
}

/** It holds nothing, tells nobody of its progress, and asks shards for nothing that depends on the moment or on other shards. */
function isRepeatable({ request, shards }: PlannedSearch): boolean {
  const { pit, scroll, expand, progress, nearest, scoredAlike } = request;
  if (scoredAlike === true || [pit, scroll, expand, progress, nearest].some((part) => part !== undefined)) return false;
  return [...new Set(shards.map(({ plan }) => plan))].every(isTimeless);
}
