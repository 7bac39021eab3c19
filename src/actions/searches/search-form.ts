/** One form of searches: plans that are cut at the texts which may change, and the search with other texts in their place. */
import { isUtf8 } from 'node:buffer';
import type { SearchPlan } from '../../search/plan/search-plan.js';
import { mayNameMoment } from '../../search/plan/cache-key.js';
import type { PlannedShard } from './shards/planned-shards.js';
import type { PreparedSearch } from './prepared-searches.js';

/** More texts that change take as long to be put in their places as the search to be understood. */
export const CHANGING_TEXTS_MAX = 16;
/** Of the body, changing or not. */
export const TEXTS_MAX = 64;
/** Of all different plans of a search together: to cut them holds the thread. */
export const PLAN_BYTES_MAX = 8 * 1024;
/** What is kept of each. */
export const SHARDS_MAX = 64;

/** Control characters are no JSON. */
const CONTROL = /[\u0000-\u001f]/;
const ASCII = /^[\u0000-\u007f]*$/;

/** A plan in the pieces between its changing texts; `order` has the place of each of these among the texts of the body. */
interface CutPlan {
  readonly pieces: readonly string[];
  readonly order: readonly number[];
}

/** Where changing texts stand in a value: by the step to take, a place among the texts of the body, or further steps. */
type TextPlaces = ReadonlyMap<string | number, number | TextPlaces>;

/** Texts of bodies and plans have a character for each byte here. */
export class SearchForm {
  private readonly base: PreparedSearch;
  /** What each text must be; undefined: any. */
  private readonly fixed: readonly (string | undefined)[];
  private readonly plans: ReadonlyMap<Uint8Array, CutPlan>;
  /** In the plan of the request. */
  private readonly places: TextPlaces;

  private constructor(
    base: PreparedSearch,
    fixed: readonly (string | undefined)[],
    plans: ReadonlyMap<Uint8Array, CutPlan>,
    places: TextPlaces,
  ) {
    this.base = base;
    this.fixed = fixed;
    this.plans = plans;
    this.places = places;
  }

  /**
   * Of a search with these texts, of which the parser passed on `verbatim`. Undefined where no text may change, since it stands elsewhere in the body or in a plan
   * as well, and where a limit is passed.
   */
  static of(texts: readonly string[], verbatim: ReadonlySet<string>, search: PreparedSearch): SearchForm | undefined {
    const { request, shards } = search.planned;
    // A log that shows the body, and a cache that names the plan, have the old texts in them.
    if (request.source !== undefined || shards.some(({ cache }) => cache !== undefined)) return undefined;
    if (texts.length > TEXTS_MAX || shards.length > SHARDS_MAX) return undefined;
    const different = new Set(shards.map(({ plan }) => plan));
    const bytes = [...different].reduce((sum, plan) => sum + plan.length, 0);
    if (bytes > PLAN_BYTES_MAX) return undefined;
    const encodings = new Map([...different].map((plan) => [plan, asText(plan)]));
    const changing = changingTexts(texts, verbatim, [...encodings.values()]);
    const places = changing.size > CHANGING_TEXTS_MAX ? undefined : placesIn(request.plan, changing);
    if (places === undefined || changing.size === 0) return undefined;
    const plans = [...encodings].map(([encoded, plan]) => [encoded, cutPlan(plan, changing)] as const);
    const fixed = texts.map((text) => (changing.has(text) ? undefined : text));
    return new SearchForm(search, fixed, new Map(plans), places);
  }

  /** The search with these texts; undefined if it may be another one. */
  fill(texts: readonly string[]): PreparedSearch | undefined {
    const { base, fixed } = this;
    const isSame = texts.every((text, at) => (fixed[at] === undefined ? mayChangeTo(text) : fixed[at] === text));
    if (!isSame) return undefined;
    const { request, shards, skipped } = base.planned;
    const filled = new Map<Uint8Array, Uint8Array>();
    for (const [encoded, cut] of this.plans) filled.set(encoded, fillPlan(cut, texts));
    const asked = shards.map((shard): PlannedShard => ({ ...shard, plan: filled.get(shard.plan) ?? shard.plan }));
    const plan = withTexts(request.plan, this.places, texts) as SearchPlan;
    return { ...base, planned: { request: { ...request, plan }, shards: asked, skipped } };
  }
}

/** The characters of a text in the encoding of bodies and plans. */
function decoded(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text, 'latin1').toString('utf8');
}

function asText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** A text that may name the moment is understood anew each time (`isTimeless`). */
function mayChangeTo(text: string): boolean {
  if (CONTROL.test(text)) return false;
  if (!ASCII.test(text) && !isUtf8(Buffer.from(text, 'latin1'))) return false;
  return !mayNameMoment(decoded(text));
}

/** Those that the parser passed on and that are once in the body and once in each plan, with their places among all texts. */
function changingTexts(
  texts: readonly string[],
  verbatim: ReadonlySet<string>,
  plans: readonly string[],
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [place, text] of texts.entries()) {
    const isAlone = texts.indexOf(text) === place && texts.lastIndexOf(text) === place;
    if (isAlone && verbatim.has(decoded(text)) && mayChangeTo(text)) found.set(text, place);
  }
  if (found.size > CHANGING_TEXTS_MAX) return found;
  for (const text of found.keys()) if (!plans.every((plan) => isOnceIn(plan, text))) found.delete(text);
  return found;
}

function isOnceIn(plan: string, text: string): boolean {
  const at = plan.indexOf(`"${text}"`);
  return at !== -1 && !plan.includes(`"${text}"`, at + 1);
}

/** Cuts out each of the changing texts, without its quotes. */
function cutPlan(plan: string, changing: ReadonlyMap<string, number>): CutPlan {
  const spans = [...changing].map(([text, place]) => {
    const start = plan.indexOf(`"${text}"`) + 1;
    return { place, start, end: start + text.length };
  });
  spans.sort((one, other) => one.start - other.start);
  const ends = [0, ...spans.map(({ end }) => end)];
  const pieces = ends.map((from, at) => plan.slice(from, spans[at]?.start));
  return { pieces, order: spans.map(({ place }) => place) };
}

function fillPlan({ pieces, order }: CutPlan, texts: readonly string[]): Uint8Array {
  let filled = pieces[0] ?? '';
  for (const [at, place] of order.entries()) filled += `${texts[place] ?? ''}${pieces[at + 1] ?? ''}`;
  return Buffer.from(filled, 'latin1');
}

/** Undefined unless each of the texts is there once. */
function placesIn(plan: SearchPlan, changing: ReadonlyMap<string, number>): TextPlaces | undefined {
  const wanted = new Map([...changing].map(([text, place]) => [decoded(text), place]));
  let count = 0;
  const walk = (value: unknown): number | TextPlaces | undefined => {
    if (typeof value === 'string') {
      const place = wanted.get(value);
      if (place !== undefined) count++;
      return place;
    }
    if (typeof value !== 'object' || value === null) return undefined;
    const places = new Map<string | number, number | TextPlaces>();
    const steps: Iterable<[string | number, unknown]> = Array.isArray(value) ? value.entries() : Object.entries(value);
    for (const [step, inner] of steps) {
      const found = walk(inner);
      if (found !== undefined) places.set(step, found);
    }
    return places.size === 0 ? undefined : places;
  };
  const places = walk(plan);
  return count === changing.size && places instanceof Map ? places : undefined;
}

/** A copy with these texts; what has none of them is shared. */
function withTexts(value: unknown, places: TextPlaces, texts: readonly string[]): unknown {
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<
    string | number,
    unknown
  >;
  for (const [step, inner] of places) {
    copy[step] = typeof inner === 'number' ? decoded(texts[inner] ?? '') : withTexts(copy[step], inner, texts);
  }
  return copy;
}
