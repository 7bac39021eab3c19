/**
 * Searches that came before in the same words, kept as they were understood: those who watch something ask the same again and again, and to
 * understand a small search takes longer than to carry it out. What is kept holds for one view of one cluster state only: users with other permissions see
 * others.
 */
import { CacheCounter } from '../../base/cache-counters.js';
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

/** Views of which searches are kept: those of few users at a time. */
export const VIEWS_MAX = 4;

const counter = new CacheCounter('searches');

interface KeptOfView {
  readonly searches: Map<string, PreparedSearch>;
  forms: SearchForms | undefined;
}

export class PreparedSearches {
  /** The one that was kept to last comes last. */
  private readonly byView = new Map<ClusterState, KeptOfView>();

  /** There is another cluster state: of views of the one before nothing is needed any more. */
  clear(): void {
    this.byView.clear();
  }

  /** `view`: the state as who searches sees it. */
  find(words: SearchWords, view: ClusterState): PreparedSearch | undefined {
    const kept = this.byView.get(view);
    const found = kept?.searches.get(joined(words)) ?? kept?.forms?.find(words);
    if (found === undefined) counter.miss();
    else counter.hit();
    return found;
  }

  /**
   * Keeps it if it means the same next time; the one that was kept first gives way. `view` is what it was understood by, `verbatim` are the texts of the
   * body that its plans have as they are.
   */
  keep(words: SearchWords, view: ClusterState, search: PreparedSearch, verbatim: ReadonlySet<string>): void {
    if (words.target.length + words.body.length > PREPARED_WORDS_MAX || !isRepeatable(search.planned)) return;
    const kept = this.byView.get(view) ?? { searches: new Map<string, PreparedSearch>(), forms: undefined };
    this.byView.delete(view);
    const [oldestView] = this.byView.size < VIEWS_MAX ? [] : this.byView.keys();
    if (oldestView !== undefined) {
      counter.evicted(this.byView.get(oldestView)?.searches.size ?? 0);
      this.byView.delete(oldestView);
    }
    this.byView.set(view, kept);
    if (Forms === undefined) void loadForms();
    else (kept.forms ??= new Forms()).keep(words, search, verbatim);
    const [oldest] = kept.searches.size < SEARCHES_MAX ? [] : kept.searches.keys();
    if (oldest !== undefined && kept.searches.delete(oldest)) counter.evicted(1);
    kept.searches.set(joined(words), search);
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
