/**
 * Differences that are left as they are: by what Elasticsearch 8 does otherwise than OpenSearch, by what OpenSearch does wrong, or, where the reason
 * begins with Quarry, because it knowingly takes more than both.
 */
import type { Difference } from './difference.js';
import type { JsonObject } from '../json.js';

interface Known {
  readonly reason: string;
  /** What the request, the peer's answer at the place, and the kind of the difference have to be; all that are given, and one of the last two is. */
  readonly request?: RegExp;
  readonly theirs?: RegExp;
  readonly kind?: RegExp;
  /** Holds for requests only that were broken on purpose: in good ones the same would be an error of Quarry's. */
  readonly onlyBroken?: true;
}

/** Nothing excuses these: an answer of Quarry's that is broken, and a total that documents contradict. */
const NEVER_KNOWN = /^(total|status \d+( with failures)?)$/;

const KNOWN: readonly Known[] = [
  { reason: 'OpenSearch lacks the aggregation', theirs: /Unknown aggregation type/ },
  { reason: 'OpenSearch lacks ranges over wildcard fields', theirs: /"reason":"TODO"/ },
  {
    reason: 'OpenSearch looks for words of flat_object in all its paths, and scores them alike',
    request: /"flat/,
    kind: /ranks|score|ids|total|count|keys|buckets/,
  },
  { reason: 'OpenSearch shows no fields of nested objects', request: /"comments\.\*"/, kind: /fields\.comments/ },
  { reason: 'OpenSearch shows nanoseconds as milliseconds', request: /"nanos"/, kind: /fields\.nanos/ },
  {
    reason: 'OpenSearch scores a single value of terms over a boolean',
    request: /"terms":\{"flag"/,
    kind: /ranks|score|total/,
  },
  {
    reason: 'OpenSearch takes no fuzzy words for these types',
    theirs: /Can only use fuzzy queries on keyword and text/,
  },
  { reason: 'OpenSearch takes regular expressions and lists apart only', theirs: /Cannot mix a regex-based/ },
  {
    reason: 'Quarry refuses lists, nothing and what is no object where one value stands',
    kind: /^status 400 and 200$/,
    request: /\[\]|\[\[|null|:\[7|[[,]7[,\]]/,
    onlyBroken: true,
  },
  {
    reason: 'Quarry refuses frequencies below nothing',
    kind: /^status 400 and 200$/,
    request: /"(min|max)_(doc_freq|term_freq|word_length|query_terms)":-7/,
  },
  { reason: 'OpenSearch fails, or never ends', kind: /^status (200|400) and 5\d\d$/ },
  {
    reason: 'Quarry refuses sizes below nothing',
    kind: /^status 400 and 200$/,
    request: /"(number_of_fragments|no_match_size)":-7/,
  },
  {
    reason: 'OpenSearch needs no terms for terms_set',
    kind: /^status 400 and 200$/,
    request: /"terms_set":\{"\w+":\{(?!"terms":)/,
    onlyBroken: true,
  },
  { reason: 'OpenSearch prints large numbers with exponents', kind: /key$/, request: /98765432109/ },
  {
    reason: 'OpenSearch shows no aggregations where none are asked for',
    kind: /^aggregations$/,
    request: /"aggs":\{\}/,
  },
  { reason: 'OpenSearch has no median of nested values', theirs: /Unsupported sort mode: MEDIAN/ },
  { reason: 'OpenSearch writes 2.55 as 2.5500000000000003', request: /"scaled"/, kind: /keys|as_string/ },
  { reason: 'Random numbers', request: /"random_score"/, kind: /ranks|score/ },
  { reason: 'OpenSearch runs scripts on nested documents too', theirs: /A document doesn't have a value for a field/ },
  {
    reason: 'OpenSearch counts what it keeps of deleted documents',
    request: /"significant_|"phrase":/,
    kind: /bg_count|\.score$/,
  },
  { reason: 'OpenSearch sorts by distances along the sphere only', request: /"plane"/, kind: /ranks/ },
  {
    reason: 'OpenSearch overlooks the least of whole numbers without sign',
    request: /"sort":.*"unsigned"/,
    kind: /ranks|ids/,
  },
  { reason: 'OpenSearch shows the terms below a field for typing', kind: /_index_prefix|_[23]gram/ },
  { reason: 'OpenSearch writes truth values as such', request: /"flag"/, kind: /_as_string/ },
  { reason: 'OpenSearch does not know its error on one shard', kind: /doc_count_error_upper_bound/, theirs: /^-1$/ },
  { reason: 'Sums of squares of moments are not moments', kind: /sum_of_squares_as_string/ },
  {
    reason: 'OpenSearch sorts by the name of the index in place of a constant',
    request: /"sort":.*"kind"/,
    kind: /ranks/,
  },
  { reason: 'OpenSearch has a matrix of no documents', kind: /\.fields$/, request: /"matrix_stats"/ },
  {
    reason: 'OpenSearch prints no histograms of ranges in formats',
    theirs: /of type \[\w+_range\] does not support custom formats/,
  },
  { reason: 'OpenSearch does not tell within from lines', theirs: /does not support WITHIN queries with line/ },
  {
    reason: 'OpenSearch fails within itself',
    theirs:
      /null_pointer_exception|illegal_state_exception|cannot accept sub-aggregations|class_cast_exception|array_index_out_of_bounds/,
  },
  { reason: 'OpenSearch writes whole numbers without sign as texts too', request: /"unsigned"/, kind: /_as_string$/ },
  { reason: 'OpenSearch gives shapes the score 0, Elasticsearch 1', request: /"geo_shape"/, kind: /ranks|score|total/ },
  { reason: 'OpenSearch shows the whole object for a key of flat_object', request: /"flat\./, kind: /fields\.flat/ },
  { reason: 'OpenSearch scores prefixes of fields for typing', request: /query_string.*"typing/, kind: /ranks|score/ },
  {
    reason: 'OpenSearch asks for as many fields of a single word',
    request: /"combined_fields".*"minimum_should_match"/,
    kind: /total|ranks/,
  },
  {
    reason: 'OpenSearch finds objects within themselves',
    request: /"nested":\{"path":"comments.replies"\}.*"nested":\{"path":"comments.replies"\}/,
    kind: /^aggregations/,
  },
  {
    reason: 'OpenSearch counts a document once for each of its values that are in one bucket',
    request: /"(composite|auto_date_histogram|rare_terms)"/,
    kind: /doc_count|length|_count|key/,
  },
];

/** Why a difference is left, where it is one of those; `isBroken`: the request was broken on purpose. */
export function knownReason(body: JsonObject, { kind, theirs }: Difference, isBroken: boolean): string | undefined {
  if (NEVER_KNOWN.test(kind)) return undefined;
  const [request, answer] = [JSON.stringify(body), JSON.stringify(theirs ?? null)];
  const holds = (known: Known): boolean =>
    (isBroken || known.onlyBroken === undefined) &&
    (known.request?.test(request) ?? true) &&
    (known.theirs?.test(answer) ?? true) &&
    (known.kind?.test(kind) ?? true);
  return KNOWN.find(holds)?.reason;
}
