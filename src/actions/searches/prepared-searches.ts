/**
 * Searches that came before in the same words, kept as they were understood: those who watch something ask the same again and again, and to
 * understand a small search takes longer than to carry it out. What is kept holds for one cluster state only.
 */
import type { ClusterState } from '../../cluster/state.js';
import { isTimeless } from '../../search/plan/cache-key.js';
import type { PlannedSearch } from './search.js';
import type { SearchForms } from './search-forms.js';

/** Longer requests are not kept: they cost little beside what they search for. */
export const PREPARED_WORDS_MAX = 8_192;
const SEARCHES_MAX = 256;

/** All that a client said, a character for each byte. */
export interface SearchWords {
  /** Path and query string. */
  readonly target: string;
  readonly body: string;
}

export interface PreparedSearch {
  readonly planned: PlannedSearch;
  readonly totalAsInt: boolean;
  /** See `usesOf`. */
  readonly uses: readonly number[];
}

let Forms: typeof SearchForms | undefined;
let loading: Promise<void> | undefined;

/** Called by the first search that is kept: a thread that searches nothing needs no memory for it. Until it is done searches are kept by their words alone. */
export function loadForms(): Promise<void> {
  loading ??= import('./search-forms.js').then(
    (loaded) => {
      Forms = loaded.SearchForms;
    },
    () => undefined,
  );
  return loading;
}

export class PreparedSearches {
  private readonly searches = new Map<string, PreparedSearch>();
  private forms: SearchForms | undefined;
  private state: ClusterState | undefined;

  find(words: SearchWords, state: ClusterState): PreparedSearch | undefined {
    if (state !== this.state) return undefined;
    return this.searches.get(joined(words)) ?? this.forms?.find(words);
  }

  /**
   * Keeps it if it means the same next time; the one that was kept first gives way. `state` is what it was understood by, `verbatim` are the texts of the
   * body that its plans have as they are.
   */
  keep(words: SearchWords, state: ClusterState, search: PreparedSearch, verbatim: ReadonlySet<string>): void {
    if (words.target.length + words.body.length > PREPARED_WORDS_MAX || !isRepeatable(search.planned)) return;
    if (state !== this.state) {
      this.searches.clear();
      this.forms?.clear();
    }
    this.state = state;
    if (Forms === undefined) void loadForms();
    else (this.forms ??= new Forms()).keep(words, search, verbatim);
    const [oldest] = this.searches.size < SEARCHES_MAX ? [] : this.searches.keys();
    if (oldest !== undefined) this.searches.delete(oldest);
    this.searches.set(joined(words), search);
  }
}

function joined({ target, body }: SearchWords): string {
  return `${target} ${body}`;
}

/** It holds nothing, tells nobody of its progress, and asks shards for nothing that depends on the moment or on other shards. */
function isRepeatable({ request, shards }: PlannedSearch): boolean {
  const { pit, scroll, expand, progress, nearest, scoredAlike } = request;
  if (scoredAlike === true || [pit, scroll, expand, progress, nearest].some((part) => part !== undefined)) return false;
  return [...new Set(shards.map(({ plan }) => plan))].every(isTimeless);
}
