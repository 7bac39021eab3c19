/** Copies of shards that other threads of the process own. */
import { WorkCounter } from '../base/work-counters.js';
import { native } from './addon.js';
import { guarded } from './errors.js';
import { optionsJson, type GetOptions, type GetResult, type OptionsText } from './get-options.js';
import type { RawPublished } from './raw-addon.js';
import { Searcher } from './searcher.js';

/** Reads of documents by their ids: of one, or of several of a shard in one call. */
export const gets = new WorkCounter('get');

/** Which documents somebody reads; others are left to their owner. */
export interface DocumentReader {
  /** Everybody waits for this thread: it takes what is small, and read fast. */
  readonly isNear: boolean;
  /** Of an answer; undefined: no limit. */
  readonly bodyBytesMax?: number | undefined;
}

/** A copy that some thread has open: anyone may search its newest view, and read documents from it. */
export class PublishedCopy {
  readonly #raw: RawPublished;

  private constructor(raw: RawPublished) {
    this.#raw = raw;
  }

  /** The copy that is open in the directory, if there is one. */
  static in(directory: string): PublishedCopy | undefined {
    const raw = guarded(() => native().publishedCopy(directory));
    return raw === null ? undefined : new PublishedCopy(raw);
  }

  /** Of the newest view; undefined where the owner is to be asked instead, because the copy is idle or closed. */
  searcher(): Searcher | undefined {
    const raw = guarded(() => this.#raw.searcher());
    return raw === null ? undefined : new Searcher(raw);
  }

  /**
   * A document by its id, as the owner would answer; undefined where the owner is to be asked instead: the document may have been written since the
   * newest view was made, the reader does not take it, or the answer is an error.
   */
  get(id: string, options: OptionsText, { isNear, bodyBytesMax }: DocumentReader): GetResult | undefined {
    return gets.within(() => guarded(() => this.#raw.get(id, options, isNear, bodyBytesMax)) ?? undefined);
  }

  /** All of them in one call, or none: then none is counted either. */
  getAll(
    documents: readonly { readonly id: string; readonly options: GetOptions }[],
    isNear: boolean,
  ): readonly GetResult[] | undefined {
    const ids = documents.map(({ id }) => id);
    const options = documents.map((document) => optionsJson(document.options));
    return gets.within(() => guarded(() => this.#raw.getAll(ids, options, isNear)) ?? undefined);
  }

  /** It is closed and never opened again: a later one in its directory is another. */
  get isClosed(): boolean {
    return this.#raw.isClosed();
  }
}
