/** Span queries: terms by their places. Queries inside others have no boost and no name of their own weight. */
import { illegalArgument } from '../../../base/errors.js';
import type { JsonScalar } from '../../../base/json-value.js';
import type { Place } from '../../body/place.js';
import { readBoolean, readInt, readScalar, readText } from '../../body/read.js';
import type { SpanPlan } from '../../plan/positional-plans.js';
import type { QueryPlan } from '../../plan/query-plan.js';
import { CommonOptions, fieldOf, readOptions, type QueryContext, type QueryParser } from '../query-parser.js';

/** A span query as it was read, with what only the outermost one may have. */
interface ReadSpan {
  readonly plan: SpanPlan;
  readonly boost: number | undefined;
  readonly name: string | undefined;
}

type SpanReader = (place: Place, context: QueryContext) => ReadSpan;

function read(common: CommonOptions, plan: SpanPlan): ReadSpan {
  return { plan, boost: common.boost, name: common.name };
}

/** A query inside a span query. */
function readInner(place: Place, outer: string, role: string, context: QueryContext): SpanPlan {
  const [first, second] = place.members();
  const reader = first === undefined ? undefined : SPAN_READERS.get(first[0]);
  if (first === undefined || reader === undefined) {
    // What is no query at all is refused as such.
    context.parseQuery(place);
    throw place.error(`${outer} [${role}] must be of type span query`);
  }
  const [name, body] = first;
  const inner = reader(body, context.enter());
  if (second !== undefined) {
    throw second[1].error(`[${name}] malformed query, expected [END_OBJECT] but found [FIELD_NAME]`);
  }
  if (inner.boost !== undefined && inner.boost !== 1) {
    const boost = Number.isInteger(inner.boost) ? `${inner.boost}.0` : String(inner.boost);
    throw place.error(`${outer} [${role}] as a nested span clause can't have non-default boost value [${boost}]`);
  }
  return inner.plan;
}

function spanTerm(place: Place): ReadSpan {
  const { field, body } = fieldOf(place, 'span_term');
  const common = new CommonOptions('span_term');
  let value: JsonScalar | undefined;
  const readValue = (given: Place) => void (value = readScalar(given));
  if (body.isObject) readOptions(body, 'span_term', { ...common.readers, value: readValue, term: readValue });
  else readValue(body);
  if (value === undefined || value === null) throw illegalArgument('value cannot be null');
  return read(common, { term: { field, value } });
}

function spanNear(place: Place, context: QueryContext): ReadSpan {
  const common = new CommonOptions('span_near');
  let clauses: readonly SpanPlan[] = [];
  const nearness = { slop: 0, inOrder: true };
  readOptions(place, 'span_near', {
    ...common.readers,
    clauses: (value) => {
      clauses = value.items().map((clause) => spanGap(clause) ?? readInner(clause, 'span_near', 'clauses', context));
    },
    slop: (value) => void (nearness.slop = readInt(value)),
    in_order: (value) => void (nearness.inOrder = readBoolean(value)),
  });
  const [first] = clauses;
  if (first === undefined) throw place.error('span_near must include [clauses]');
  if ('gap' in first) throw illegalArgument('[span_near] query cannot have a [span_gap] as its first clause');
  if (!nearness.inOrder && clauses.some((clause) => 'gap' in clause)) {
    throw illegalArgument('[span_gap] must be used with [in_order] set to true');
  }
  return read(common, { near: { clauses, slop: nearness.slop, in_order: nearness.inOrder } });
}

function spanGap(place: Place): SpanPlan | undefined {
  const [first] = place.members();
  if (first?.[0] !== 'span_gap') return undefined;
  const { field, body } = fieldOf(first[1], 'span_gap');
  const width = readInt(body);
  if (width < 0) throw illegalArgument(`[span_gap] width must not be negative, got [${width}]`);
  return { gap: { field, width } };
}

function spanOr(place: Place, context: QueryContext): ReadSpan {
  const common = new CommonOptions('span_or');
  let clauses: readonly SpanPlan[] = [];
  readOptions(place, 'span_or', {
    ...common.readers,
    clauses: (value) =>
      void (clauses = value.items().map((clause) => readInner(clause, 'span_or', 'clauses', context))),
  });
  if (clauses.length === 0) throw place.error('spanOr must include [clauses]');
  return read(common, { or: { clauses } });
}

function spanNot(place: Place, context: QueryContext): ReadSpan {
  const common = new CommonOptions('span_not');
  let include: SpanPlan | undefined;
  let exclude: SpanPlan | undefined;
  let distance: number | undefined;
  let pre: number | undefined;
  let post: number | undefined;
  readOptions(place, 'span_not', {
    ...common.readers,
    include: (value) => void (include = readInner(value, 'span_not', 'include', context)),
    exclude: (value) => void (exclude = readInner(value, 'span_not', 'exclude', context)),
    dist: (value) => void (distance = readInt(value)),
    pre: (value) => void (pre = readInt(value)),
    post: (value) => void (post = readInt(value)),
  });
  if (include === undefined) throw place.error('spanNot must have [include] span query clause');
  if (exclude === undefined) throw place.error('spanNot must have [exclude] span query clause');
  if (distance !== undefined && (pre !== undefined || post !== undefined)) {
    throw place.error('spanNot can either use [dist] or [pre] & [post] (or none)');
  }
  const not = { include, exclude, pre: Math.max(0, distance ?? pre ?? 0), post: Math.max(0, distance ?? post ?? 0) };
  return read(common, { not });
}

function spanFirst(place: Place, context: QueryContext): ReadSpan {
  const common = new CommonOptions('span_first');
  let query: SpanPlan | undefined;
  let end: number | undefined;
  readOptions(place, 'span_first', {
    ...common.readers,
    match: (value) => void (query = readInner(value, 'span_first', 'match', context)),
    end: (value) => void (end = readInt(value)),
  });
  if (query === undefined) throw place.error('spanFirst must have [match] span query clause');
  if (end === undefined) throw place.error('spanFirst must have [end] set for it');
  if (end < 0) throw illegalArgument('parameter [end] needs to be positive.');
  return read(common, { first: { query, end } });
}

function spanPair(name: 'span_containing' | 'span_within'): SpanReader {
  return (place, context) => {
    const common = new CommonOptions(name);
    let big: SpanPlan | undefined;
    let little: SpanPlan | undefined;
    readOptions(place, name, {
      ...common.readers,
      big: (value) => void (big = readInner(value, name, 'big', context)),
      little: (value) => void (little = readInner(value, name, 'little', context)),
    });
    if (big === undefined) throw illegalArgument('inner clause [big] cannot be null.');
    if (little === undefined) throw illegalArgument('inner clause [little] cannot be null.');
    return read(common, name === 'span_containing' ? { containing: { big, little } } : { within: { big, little } });
  };
}

const TERM_QUERIES: ReadonlySet<string> = new Set(['prefix', 'wildcard', 'regexp', 'fuzzy', 'range']);

function spanMulti(place: Place, context: QueryContext): ReadSpan {
  const common = new CommonOptions('span_multi');
  let query: QueryPlan | undefined;
  readOptions(place, 'span_multi', {
    ...common.readers,
    match: (value) => {
      const [first] = value.members();
      if (first === undefined || !TERM_QUERIES.has(first[0])) {
        throw value.error('[span_multi] [match] must be of type multi term query');
      }
      query = context.parseQuery(value);
    },
  });
  if (query === undefined) throw place.error('[span_multi] must have [match] multi term query clause');
  return read(common, { multi: { query: 'named' in query ? query.named.query : query } });
}

function fieldMasking(name: string): SpanReader {
  return (place, context) => {
    const common = new CommonOptions(name);
    let query: SpanPlan | undefined;
    let field: string | undefined;
    readOptions(place, name, {
      ...common.readers,
      query: (value) => void (query = readInner(value, name, 'query', context)),
      field: (value) => void (field = readText(value)),
    });
    if (query === undefined) throw place.error(`${name} must have [query] span query clause`);
    if (field === undefined) throw place.error(`${name} must have [field] set for it`);
    return read(common, { field_masking: { query, field } });
  };
}

const SPAN_READERS: ReadonlyMap<string, SpanReader> = new Map<string, SpanReader>([
  ['span_term', spanTerm],
  ['span_near', spanNear],
  ['span_or', spanOr],
  ['span_not', spanNot],
  ['span_first', spanFirst],
  ['span_containing', spanPair('span_containing')],
  ['span_within', spanPair('span_within')],
  ['span_multi', spanMulti],
  ['field_masking_span', fieldMasking('field_masking_span')],
  ['span_field_masking', fieldMasking('span_field_masking')],
]);

export const spanQueries: readonly QueryParser[] = [...SPAN_READERS].map(([name, reader]) => ({
  name,
  parse: (place, context) => {
    const { plan, boost, name: queryName } = reader(place, context);
    const query: QueryPlan = { span: { query: plan, ...(boost === undefined ? {} : { boost }) } };
    return queryName === undefined ? query : { named: { name: queryName, query } };
  },
}));
