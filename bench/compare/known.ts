/** Differences that are right: by what Elasticsearch 8 does otherwise than OpenSearch, or by what OpenSearch does wrong. */
import type { Difference } from './difference.js';
import type { JsonObject } from './json.js';

interface Known {
  readonly reason: string;
  /** What the request, the peer's answer at the place, and the kind of the difference have to be; all that are given. */
  readonly request?: RegExp;
  readonly theirs?: RegExp;
  readonly kind?: RegExp;
}

const KNOWN: readonly Known[] = [
  { reason: 'OpenSearch lacks the aggregation', theirs: /Unknown aggregation type/ },
  { reason: 'OpenSearch lacks ranges over wildcard fields', theirs: /"reason":"TODO"/ },
  { reason: 'OpenSearch refuses samplers with nothing below', theirs: /Sampler aggregation must be used with child/ },
  {
    reason: 'Quarry lets variable_width_histogram be anywhere',
    theirs: /\[variable_width_histogram\] cannot be nested/,
  },
  {
    reason: 'OpenSearch fails within itself',
    theirs: /null_pointer_exception|cannot accept sub-aggregations|class_cast_exception|array_index_out_of_bounds/,
  },
  { reason: 'OpenSearch writes whole numbers without sign as texts too', request: /"unsigned"/, kind: /_as_string$/ },
  { reason: 'OpenSearch gives shapes the score 0, Elasticsearch 1', request: /"geo_shape"/, kind: /ranks|score/ },
  {
    reason: 'OpenSearch counts a document once for each of its values that are in one bucket',
    request: /"(composite|auto_date_histogram)"/,
    kind: /doc_count|length|_count/,
  },
];

/** Why a difference is left, where it is one of those. */
export function knownReason(body: JsonObject, { kind, theirs }: Difference): string | undefined {
  const [request, answer] = [JSON.stringify(body), JSON.stringify(theirs ?? null)];
  const holds = (known: Known): boolean =>
    (known.request?.test(request) ?? true) && (known.theirs?.test(answer) ?? true) && (known.kind?.test(kind) ?? true);
  return KNOWN.find(holds)?.reason;
}
