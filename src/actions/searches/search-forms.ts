/**
 * Searches that came before with other texts, kept as they were understood: who looks for another word each time mostly sends searches of one form. The
 * texts that may change are those that the parser passes on as they are (`Place.verbatim`).
 *
 * Requests with a backslash in the body have no form, so that strings are what stands between quotes.
 */
import type { PreparedSearch, SearchWords } from './prepared-searches.js';
import { SearchForm } from './search-form.js';

/** Bodies without their texts of which there are forms, and such of which one search came so far. */
export const SKELETONS_MAX = 256;
/** Of a skeleton: their other texts differ. So often it is tried to make one. */
export const FORMS_MAX = 4;

interface Skeleton {
  readonly forms: SearchForm[];
  tries: number;
}

export class SearchForms {
  /** Those that were used last come last. */
  private readonly known = new Map<string, Skeleton>();
  private readonly seen = new Set<string>();

  find(words: SearchWords): PreparedSearch | undefined {
    const cut = this.known.size === 0 ? undefined : cutWords(words);
    const skeleton = cut === undefined ? undefined : this.known.get(cut.skeleton);
    if (cut === undefined || skeleton === undefined) return undefined;
    for (const form of skeleton.forms) {
      const filled = form.fill(cut.texts);
      if (filled === undefined) continue;
      this.known.delete(cut.skeleton);
      this.known.set(cut.skeleton, skeleton);
      return filled;
    }
    return undefined;
  }

  /**
   * The first search of a form leaves a mark alone: most forms never come again. `search` is one that may be kept, `verbatim` are texts of the body that
   * its plans have as they are.
   */
  keep(words: SearchWords, search: PreparedSearch, verbatim: ReadonlySet<string>): void {
    const cut = verbatim.size === 0 ? undefined : cutWords(words);
    if (cut === undefined) return;
    if (!this.known.has(cut.skeleton) && !this.seen.has(cut.skeleton)) {
      if (this.seen.size >= SKELETONS_MAX) dropOldest(this.seen);
      this.seen.add(cut.skeleton);
      return;
    }
    const skeleton = this.known.get(cut.skeleton) ?? { forms: [], tries: 0 };
    if (skeleton.tries === FORMS_MAX) return;
    skeleton.tries++;
    const form = SearchForm.of(cut.texts, verbatim, search);
    if (form !== undefined) skeleton.forms.push(form);
    this.seen.delete(cut.skeleton);
    if (this.known.size >= SKELETONS_MAX && !this.known.has(cut.skeleton)) dropOldest(this.known);
    this.known.set(cut.skeleton, skeleton);
  }

  clear(): void {
    this.known.clear();
    this.seen.clear();
  }
}

function dropOldest(from: Set<string> | Map<string, unknown>): void {
  for (const oldest of from.keys()) {
    from.delete(oldest);
    return;
  }
}

interface CutWords {
  /** All but the strings that are values. */
  readonly skeleton: string;
  /** These strings in their order. */
  readonly texts: readonly string[];
}

const IS_NAME = /^[ \t\r\n]*:/;

function cutWords({ target, body }: SearchWords): CutWords | undefined {
  if (body.includes('\\')) return undefined;
  const parts = body.split('"');
  const texts: string[] = [];
  for (let at = 1; at + 1 < parts.length; at += 2) {
    if (IS_NAME.test(parts[at + 1] ?? '')) continue;
    texts.push(parts[at] ?? '');
    parts[at] = '';
  }
  return { skeleton: `${target} ${parts.join('"')}`, texts };
}
