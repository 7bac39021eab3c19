/**
 * Searches that came before with other texts, kept as they were understood: who looks for ever other words mostly sends them in one form. The texts that may
 * change are those that the parser passes on as they are (`Place.verbatim`). They are put in the place of the old ones in the plans, as bytes.
 *
 * Requests with a backslash in the body have no form, so that strings are what stands between quotes.
 */
import { isUtf8 } from 'node:buffer';
import type { SearchPlan } from '../../search/plan/search-plan.js';
import type { PlannedShard } from './shards/planned-shards.js';
import type { PreparedSearch, SearchWords } from './prepared-searches.js';

/** Different skeletons that are remembered, and forms of each: their other texts differ. */
const SKELETONS_MAX = 256;
const FORMS_MAX = 4;

export class SearchForms {
  private readonly forms = new Map<string, readonly SearchForm[]>();

  find(words: SearchWords): PreparedSearch | undefined {
    const cut = cutWords(words);
    const forms = cut === undefined ? undefined : this.forms.get(cut.skeleton);
    if (cut === undefined || forms === undefined) return undefined;
    for (const form of forms) {
      const filled = form.fill(cut.texts);
      if (filled !== undefined) return filled;
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
    const known = this.forms.get(cut.skeleton);
    if (known === undefined) this.put(cut.skeleton, []);
    else {
      const form = formOf(cut.texts, verbatim, search);
      if (form !== undefined) this.put(cut.skeleton, [form, ...known].slice(0, FORMS_MAX));
    }
  }

  clear(): void {
    this.forms.clear();
  }

  /** The skeleton that came first gives way. */
  private put(skeleton: string, forms: readonly SearchForm[]): void {
    const isFull = this.forms.size >= SKELETONS_MAX && !this.forms.has(skeleton);
    const [oldest] = isFull ? this.forms.keys() : [];
    if (oldest !== undefined) this.forms.delete(oldest);
    this.forms.set(skeleton, forms);
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

/** Control characters are no JSON. Texts that may name the moment are understood anew each time (`isTimeless`). */
const REFUSED = /[\u0000-\u001f]|now/i;
const ASCII = /^[\u0000-\u007f]*$/;

function mayChangeTo(text: string): boolean {
  return !REFUSED.test(text) && (ASCII.test(text) || isUtf8(Buffer.from(text, 'latin1')));
}

/** A plan in the pieces between its changing texts; `order` has the place of each of these among the texts of the body. */
interface CutPlan {
  readonly pieces: readonly string[];
  readonly order: readonly number[];
}

type Path = readonly (string | number)[];

class SearchForm {
  private readonly base: PreparedSearch;
  /** What each text must be; undefined: any. */
  private readonly fixed: readonly (string | undefined)[];
  private readonly plans: ReadonlyMap<Uint8Array, CutPlan>;
  /** Where the changing texts stand in the plan of the request, by their places among the texts of the body. */
  private readonly paths: ReadonlyMap<number, Path>;

  constructor(
    base: PreparedSearch,
    fixed: readonly (string | undefined)[],
    plans: ReadonlyMap<Uint8Array, CutPlan>,
    paths: ReadonlyMap<number, Path>,
  ) {
    this.base = base;
    this.fixed = fixed;
    this.plans = plans;
    this.paths = paths;
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
    let plan = request.plan;
    for (const [at, path] of this.paths) plan = replaced(plan, path, decoded(texts[at] ?? ''));
    return { ...base, planned: { request: { ...request, plan }, shards: asked, skipped } };
  }
}

function fillPlan({ pieces, order }: CutPlan, texts: readonly string[]): Uint8Array {
  let filled = pieces[0] ?? '';
  for (const [at, place] of order.entries()) filled += `${texts[place] ?? ''}${pieces[at + 1] ?? ''}`;
  return Buffer.from(filled, 'latin1');
}

/** Undefined where no text may change: what the parser passed on stands elsewhere in the body or in a plan as well. */
function formOf(
  texts: readonly string[],
  verbatim: ReadonlySet<string>,
  search: PreparedSearch,
): SearchForm | undefined {
  const { request, shards } = search.planned;
  // A log that shows the body, and a cache that names the plan, have the old texts in them.
  if (request.source !== undefined || shards.some(({ cache }) => cache !== undefined)) return undefined;
  const encodings = new Map([...new Set(shards.map(({ plan }) => plan))].map((plan) => [plan, latin1(plan)]));
  const paths = new Map<number, Path>();
  for (const [place, text] of texts.entries()) {
    const isAlone = texts.indexOf(text) === place && texts.lastIndexOf(text) === place;
    if (!isAlone || !verbatim.has(decoded(text)) || !mayChangeTo(text)) continue;
    const found = pathsOf(request.plan, decoded(text));
    const [path] = found.length === 1 ? found : [];
    if (path !== undefined && [...encodings.values()].every((plan) => isOnceIn(plan, text))) paths.set(place, path);
  }
  if (paths.size === 0) return undefined;
  const changing = [...paths.keys()];
  const plans = [...encodings].map(([encoded, plan]) => [encoded, cutPlan(plan, texts, changing)] as const);
  const fixed = texts.map((text, place) => (paths.has(place) ? undefined : text));
  return new SearchForm(search, fixed, new Map(plans), paths);
}

function isOnceIn(plan: string, text: string): boolean {
  const at = plan.indexOf(`"${text}"`);
  return at !== -1 && !plan.includes(`"${text}"`, at + 1);
}

/** Cuts out each of the changing texts, without its quotes. */
function cutPlan(plan: string, texts: readonly string[], changing: readonly number[]): CutPlan {
  const spans = changing
    .map((place) => {
      const text = texts[place] ?? '';
      const start = plan.indexOf(`"${text}"`) + 1;
      return { place, start, end: start + text.length };
    })
    .sort((one, other) => one.start - other.start);
  const ends = [0, ...spans.map(({ end }) => end)];
  const pieces = ends.map((from, at) => plan.slice(from, spans[at]?.start));
  return { pieces, order: spans.map(({ place }) => place) };
}

function pathsOf(value: unknown, text: string): readonly Path[] {
  if (value === text) return [[]];
  if (typeof value !== 'object' || value === null) return [];
  const steps: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return steps.flatMap(([step, inner]) => pathsOf(inner, text).map((path) => [step, ...path]));
}

/** A copy of the plan with another text at that place; what is not above it is shared. */
function replaced(plan: SearchPlan, path: Path, text: string): SearchPlan {
  return withText(plan, path, 0, text) as SearchPlan;
}

function withText(value: unknown, path: Path, depth: number, text: string): unknown {
  const step = path[depth];
  if (step === undefined) return text;
  if (Array.isArray(value))
    return value.map((item: unknown, at) => (at === step ? withText(item, path, depth + 1, text) : item));
  const members = value as Readonly<Record<string, unknown>>;
  return { ...members, [step]: withText(members[step], path, depth + 1, text) };
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

function decoded(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text, 'latin1').toString('utf8');
}
