/** `highlight`: options of all fields and of each, filled in with the API's defaults. */
import { illegalArgument } from '../../base/errors.js';
import type { Place } from '../body/place.js';
import { readBoolean, readInt, readStrings, readText } from '../body/read.js';
import type { HighlightFieldPlan, HighlightPlan } from '../plan/highlight-plan.js';
import type { QueryPlan } from '../plan/query-plan.js';
import type { ParseQuery } from '../query/query-parser.js';
import type { SearchSettings } from '../settings.js';

/** Fields of one request; each costs an analysis of every hit. */
const FIELDS_MAX = 10_000;

interface Options {
  kind?: HighlightFieldPlan['kind'];
  preTags?: readonly string[];
  postTags?: readonly string[];
  fragmentSize?: number;
  numberOfFragments?: number;
  byScore?: boolean;
  requireFieldMatch?: boolean;
  matchedFields?: readonly string[];
  noMatchSize?: number;
  query?: QueryPlan;
  boundary?: HighlightFieldPlan['boundary'];
  boundaryChars?: string;
  boundaryMaxScan?: number;
  maxAnalyzerOffset?: number;
  fragmenter?: HighlightFieldPlan['fragmenter'];
  fragmentOffset?: number;
  phraseLimit?: number;
}

type Reader = (options: Options, value: Place, parseQuery: ParseQuery) => void;

const READERS: Readonly<Record<string, Reader>> = {
  type: (options, value) => {
    options.kind = kindOf(readText(value));
  },
  pre_tags: (options, value) => {
    options.preTags = readStrings(value);
  },
  post_tags: (options, value) => {
    options.postTags = readStrings(value);
  },
  fragment_size: (options, value) => {
    options.fragmentSize = readSize(value);
  },
  number_of_fragments: (options, value) => {
    options.numberOfFragments = readSize(value);
  },
  order: (options, value) => {
    options.byScore = isByScore(readText(value));
  },
  require_field_match: (options, value) => {
    options.requireFieldMatch = readBoolean(value);
  },
  matched_fields: (options, value) => {
    options.matchedFields = readStrings(value);
  },
  no_match_size: (options, value) => {
    options.noMatchSize = readSize(value);
  },
  highlight_query: (options, value, parseQuery) => {
    options.query = parseQuery(value);
  },
  boundary_scanner: (options, value) => {
    options.boundary = boundaryOf(readText(value));
  },
  boundary_chars: (options, value) => {
    options.boundaryChars = readText(value);
  },
  boundary_max_scan: (options, value) => {
    options.boundaryMaxScan = readSize(value);
  },
  max_analyzer_offset: readMaxOffset,
  max_analyzed_offset: readMaxOffset,
  fragmenter: (options, value) => {
    options.fragmenter = fragmenterOf(readText(value));
  },
  // Text is always taken from the source, and boundaries are those of all languages.
  force_source: (_options, value) => {
    readBoolean(value);
  },
  boundary_scanner_locale: (_options, value) => {
    readText(value);
  },
  phrase_limit: (options, value) => {
    options.phraseLimit = readSize(value);
  },
  fragment_offset: (options, value) => {
    options.fragmentOffset = readSize(value);
  },
  options: (_options, value) => {
    for (const [name] of value.members())
      throw illegalArgument(`[${name}] of the options of a highlight is not supported`);
  },
};

function readMaxOffset(options: Options, value: Place): void {
  const offset = readInt(value);
  if (offset <= 0) throw illegalArgument('[max_analyzer_offset] must be a positive integer');
  options.maxAnalyzerOffset = offset;
}

export function readHighlight(place: Place, settings: SearchSettings, parseQuery: ParseQuery): HighlightPlan {
  const common: Options = {};
  let html = false;
  let fields: readonly { readonly name: string; readonly options: Options }[] = [];
  for (const [name, value] of place.members()) {
    if (name === 'fields') fields = readFields(value, parseQuery);
    else if (name === 'encoder') html = readEncoder(value);
    else if (name === 'tags_schema') setSchema(common, readText(value));
    else readOption('highlight', common, name, value, parseQuery);
  }
  checkTags(place, common);
  if (fields.length > FIELDS_MAX) throw illegalArgument(`a search highlights at most [${FIELDS_MAX}] fields`);
  return {
    fields: fields.map(({ name, options }) => fieldPlan(name, { ...common, ...options }, html)),
    max_analyzed_offset: settings.maxAnalyzedOffset,
  };
}

/** Tags that open need tags that close, in the same place. */
function checkTags(place: Place, { preTags, postTags }: Options): void {
  if (preTags !== undefined && postTags === undefined) throw place.error('pre_tags are set but post_tags are not set');
}

function readOption(parser: string, options: Options, name: string, value: Place, parseQuery: ParseQuery): void {
  const read = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  if (read === undefined) throw value.errorWithPlace(`[${parser}] unknown field [${name}]`);
  read(options, value, parseQuery);
}

/** An object by name, or an array of such objects where the order matters. */
function readFields(place: Place, parseQuery: ParseQuery): readonly { name: string; options: Options }[] {
  return place.items().flatMap((item) => {
    if (!item.isObject) throw item.errorWithPlace('[highlight] [fields] must be an object or an array of objects');
    return item.members().map(([name, value]) => {
      if (!value.isObject)
        throw value.errorWithPlace(`[highlight_field] Expected START_OBJECT but was: ${value.token}`);
      const options: Options = {};
      for (const [option, given] of value.members()) readOption('highlight_field', options, option, given, parseQuery);
      checkTags(value, options);
      return { name, options };
    });
  });
}

const DEFAULT_BOUNDARY_CHARS = '.,!? \t\n';
const DEFAULT_FRAGMENT_SIZE = 100;
const DEFAULT_FRAGMENTS = 5;
const DEFAULT_MAX_SCAN = 20;

function fieldPlan(field: string, options: Options, html: boolean): HighlightFieldPlan {
  const kind = options.kind ?? 'unified';
  const { matchedFields, query, maxAnalyzerOffset, fragmentOffset, phraseLimit } = options;
  return {
    field,
    kind,
    pre_tags: options.preTags ?? ['<em>'],
    post_tags: options.postTags ?? ['</em>'],
    fragment_size: options.fragmentSize ?? DEFAULT_FRAGMENT_SIZE,
    number_of_fragments: options.numberOfFragments ?? DEFAULT_FRAGMENTS,
    by_score: options.byScore ?? false,
    html,
    require_field_match: options.requireFieldMatch ?? true,
    no_match_size: options.noMatchSize ?? 0,
    boundary: options.boundary ?? (kind === 'fvh' ? 'chars' : 'sentence'),
    boundary_chars: options.boundaryChars ?? DEFAULT_BOUNDARY_CHARS,
    boundary_max_scan: options.boundaryMaxScan ?? DEFAULT_MAX_SCAN,
    fragmenter: options.fragmenter ?? 'span',
    ...(matchedFields === undefined ? {} : { matched_fields: matchedFields }),
    ...(query === undefined ? {} : { query }),
    ...(fragmentOffset === undefined ? {} : { fragment_offset: fragmentOffset }),
    ...(phraseLimit === undefined ? {} : { phrase_limit: phraseLimit }),
    ...(maxAnalyzerOffset === undefined ? {} : { max_analyzer_offset: maxAnalyzerOffset }),
  };
}

function readSize(value: Place): number {
  const size = readInt(value);
  if (size >= 0) return size;
  throw illegalArgument(`[${value.step}] of a highlight cannot be negative, found [${size}]`);
}

function kindOf(text: string): HighlightFieldPlan['kind'] {
  if (text === 'unified' || text === 'plain' || text === 'fvh') return text;
  throw illegalArgument(`unknown highlighter type [${text}], expected one of [unified, plain, fvh]`);
}

function isByScore(text: string): boolean {
  const order = text.toLowerCase();
  if (order === 'score') return true;
  if (order === 'none') return false;
  throw illegalArgument(
    `No enum constant org.elasticsearch.search.fetch.subphase.highlight.HighlightBuilder.Order.${text.toUpperCase()}`,
  );
}

function boundaryOf(text: string): HighlightFieldPlan['boundary'] {
  const boundary = text.toLowerCase();
  if (boundary === 'sentence' || boundary === 'word' || boundary === 'chars') return boundary;
  throw illegalArgument(`unknown boundary_scanner [${text}], expected one of [chars, word, sentence]`);
}

function fragmenterOf(text: string): HighlightFieldPlan['fragmenter'] {
  if (text === 'span' || text === 'simple') return text;
  throw illegalArgument(`unknown fragmenter option [${text}] for the highlighter`);
}

function readEncoder(value: Place): boolean {
  const encoder = readText(value);
  if (encoder === 'html') return true;
  if (encoder === 'default') return false;
  throw illegalArgument(`unknown encoder [${encoder}], expected one of [default, html]`);
}

const STYLED_TAGS = 10;

function setSchema(options: Options, schema: string): void {
  if (schema === 'default') return;
  if (schema !== 'styled') throw illegalArgument(`Unknown tag schema [ ${schema} ]`);
  options.preTags = Array.from({ length: STYLED_TAGS }, (_, at) => `<em class="hlt${at + 1}">`);
  options.postTags = ['</em>'];
}
