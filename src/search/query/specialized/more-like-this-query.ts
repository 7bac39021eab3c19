/** `more_like_this`: the words that tell most about some texts or documents. */
import { illegalArgument } from '../../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../../base/json-value.js';
import type { Place } from '../../body/place.js';
import { readBoolean, readInt, readNumber, readStrings, readText } from '../../body/read.js';
import type { LikeDocumentPlan, MoreLikeThisPlan } from '../../plan/text-plans.js';
import { CommonOptions, readOptions, type Draft, type QueryParser } from '../query-parser.js';
import { readMinimumShouldMatch } from '../full-text/text-options.js';

const NAME = 'more_like_this';
const INT_MAX = 2 ** 31 - 1;
/** Texts and documents to compare with. */
const ITEMS_MAX = 1000;

interface Items {
  readonly texts: readonly string[];
  readonly documents: readonly LikeDocumentPlan[];
}

const NONE: Items = { texts: [], documents: [] };

function readItems(place: Place): Items {
  const items = place.items();
  if (items.length > ITEMS_MAX)
    throw place.error(`[${NAME}] takes at most [${ITEMS_MAX}] items, got [${items.length}]`);
  return {
    texts: items.filter((item) => !item.isObject).map(readText),
    documents: items.filter((item) => item.isObject).map(readDocument),
  };
}

/** A document of an index, or one made up here (`doc`). */
function readDocument(place: Place): LikeDocumentPlan {
  const document: Draft<LikeDocumentPlan> = {};
  for (const [name, value] of place.members()) {
    if (name === '_id') document.id = readText(value);
    else if (name === '_index') document.index = readText(value);
    else if (name === 'doc') document.source = readSource(value);
    else if (name === 'fields') document.fields = readStrings(value);
    else if (name === 'per_field_analyzer') document.analyzers = readAnalyzers(value);
    else if (name === 'routing' || name === '_routing') document.routing = readText(value);
    else throw value.error(`failed to parse More Like This item. unknown field [${name}]`, 'parse_exception');
  }
  if (document.id !== undefined && document.source !== undefined) {
    throw place.error(
      'failed to parse More Like This item. either [id] or [doc] can be specified, but not both!',
      'parse_exception',
    );
  }
  if (document.id === undefined && document.source === undefined) {
    throw place.error('failed to parse More Like This item. neither [id] nor [doc] is specified!', 'parse_exception');
  }
  return document;
}

function readSource(place: Place): JsonObject {
  if (isJsonObject(place.value)) return place.value;
  throw place.error('failed to parse More Like This item. [doc] must be an object', 'parse_exception');
}

/** Names of analyzers by field. */
function readAnalyzers(place: Place): Readonly<Record<string, string>> {
  if (!place.isObject) {
    throw place.error('failed to parse More Like This item. [per_field_analyzer] must be an object', 'parse_exception');
  }
  return Object.fromEntries(
    place.members().map(([field, value]) => {
      if (typeof value.value === 'string') return [field, value.value];
      throw value.error(
        `expecting the analyzer at [${field}] to be a String, but found [${value.token}] instead`,
        'parse_exception',
      );
    }),
  );
}

function atLeast(least: number, name: string): (value: Place) => number {
  return (value) => {
    const count = readInt(value);
    if (count >= least) return count;
    throw illegalArgument(`requires '${name}' to be greater than ${least === 1 ? '0' : 'or equal to 0'}`);
  };
}

export const moreLikeThisQuery: QueryParser = {
  name: NAME,
  parse(place) {
    const draft: Draft<MoreLikeThisPlan> = {};
    const common = new CommonOptions(NAME);
    let like: Items | undefined;
    let unlike = NONE;
    const positive = atLeast(1, 'max_query_terms');
    const count = atLeast(0, 'a frequency');
    readOptions(place, NAME, {
      ...common.readers,
      fields: (value) => void (draft.fields = readStrings(value)),
      like: (value) => void (like = readItems(value)),
      unlike: (value) => void (unlike = readItems(value)),
      max_query_terms: (value) => void (draft.max_query_terms = positive(value)),
      min_term_freq: (value) => void (draft.min_term_freq = count(value)),
      min_doc_freq: (value) => void (draft.min_doc_freq = count(value)),
      max_doc_freq: (value) => void (draft.max_doc_freq = count(value)),
      min_word_length: (value) => void (draft.min_word_length = count(value)),
      max_word_length: (value) => void (draft.max_word_length = count(value)),
      stop_words: (value) => void (draft.stop_words = readStrings(value)),
      analyzer: (value) => void (draft.analyzer = readText(value)),
      minimum_should_match: (value) => void (draft.minimum_should_match = readMinimumShouldMatch(value)),
      boost_terms: (value) => void (draft.boost_terms = readNumber(value)),
      include: (value) => void (draft.include = readBoolean(value)),
      fail_on_unsupported_field: (value) => void (draft.fail_on_unsupported_field = readBoolean(value)),
    });
    const items: Items = like ?? NONE;
    if (items.texts.length + items.documents.length === 0) {
      throw illegalArgument(`requires 'like' to be specified`);
    }
    if (draft.fields?.length === 0) throw illegalArgument("requires 'fields' to be non-empty");
    const plan: MoreLikeThisPlan = {
      max_query_terms: 25,
      min_term_freq: 2,
      min_doc_freq: 5,
      max_doc_freq: INT_MAX,
      min_word_length: 0,
      max_word_length: 0,
      stop_words: [],
      minimum_should_match: '30%',
      boost_terms: 0,
      include: false,
      fail_on_unsupported_field: true,
      ...draft,
      like_texts: items.texts,
      like_documents: items.documents,
      unlike_texts: unlike.texts,
      unlike_documents: unlike.documents,
      ...common.boosted,
    };
    return common.named({ more_like_this: plan });
  },
};
