/** `aggs`: named aggregations, each of one kind, with others below it. */
import { illegalArgument } from '../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../base/json-value.js';
import { nearestNames } from '../../base/suggest.js';
import type { Place } from '../body/place.js';
import { parseQuery } from '../query/parse-query.js';
import type { SearchSettings } from '../settings.js';
import type { AggregationParser } from './aggregation-parser.js';
import { AGGREGATION_PARSERS, UNSUPPORTED_AGGREGATIONS } from './aggregation-parsers.js';
import type { AggregationPlan } from './aggregation-plan.js';

/** Levels of aggregations below each other. */
const DEPTH_MAX = 64;
const NAME = /^[^[\]>]+$/;

/** Checks a request's `aggs`. Throws errors of the API's types with status 400 and the place in the body. */
export function parseAggregations(place: Place, settings: SearchSettings): readonly AggregationPlan[] {
  return parseLevel(place, settings, 1, undefined);
}

function parseLevel(
  place: Place,
  settings: SearchSettings,
  depth: number,
  parent: string | undefined,
): readonly AggregationPlan[] {
  if (depth > DEPTH_MAX) throw illegalArgument(`aggregations may be nested at most [${DEPTH_MAX}] levels deep`);
  if (!place.isObject) throw place.error(`Expected [START_OBJECT] under [aggs], but got a [${place.token}]`);
  return place.members().map(([name, body]) => parseOne(name, body, settings, depth, parent));
}

function parseOne(
  name: string,
  body: Place,
  settings: SearchSettings,
  depth: number,
  parent: string | undefined,
): AggregationPlan {
  if (!NAME.test(name)) {
    throw body.error(
      `Invalid aggregation name [${name}]. Aggregation names can contain any character except '[', ']', and '>'`,
    );
  }
  if (!body.isObject) {
    throw body.error(`Aggregation definition for [${name} starts with a [${body.token}], expected a [START_OBJECT].`);
  }
  let found: { readonly parser: AggregationParser; readonly kind: object } | undefined;
  let aggs: readonly AggregationPlan[] | undefined;
  let meta: JsonObject | undefined;
  for (const [member, value] of body.members()) {
    if (member === 'meta') {
      if (!isJsonObject(value.value))
        throw value.error(`Expected [START_OBJECT] under [meta], but got a [${value.token}] in [${name}]`);
      meta = value.value;
    } else if (member === 'aggs' || member === 'aggregations') {
      if (aggs !== undefined) throw value.error(`Found two sub aggregation definitions under [${name}]`);
      aggs = parseLevel(value, settings, depth + 1, name);
    } else {
      const parser = parserOf(member, value);
      if (found !== undefined) {
        throw value.error(
          `Found two aggregation type definitions in [${name}]: [${found.parser.name}] and [${member}]`,
        );
      }
      if (!value.isObject) {
        throw value.error(`Expected [START_OBJECT] under [${member}], but got a [${value.token}] in [${name}]`);
      }
      const context = { name, settings, parent, parseQuery: (query: Place) => parseQuery(query, settings) };
      found = { parser, kind: parser.parse(value, context) };
    }
  }
  if (found === undefined) throw body.error(`Missing definition for aggregation [${name}]`);
  if (aggs !== undefined && aggs.length > 0 && !found.parser.takesChildren) {
    throw body.error(
      `Aggregator [${name}] of type [${found.parser.name}] cannot accept sub-aggregations`,
      'aggregation_initialization_exception',
    );
  }
  return { name, ...(meta === undefined ? {} : { meta }), kind: found.kind, aggs: aggs ?? [] };
}

function parserOf(kind: string, place: Place): AggregationParser {
  const parser = AGGREGATION_PARSERS.get(kind);
  if (parser !== undefined) return parser;
  if (UNSUPPORTED_AGGREGATIONS.has(kind)) {
    throw place.error(`[${kind}] aggregation is not supported yet`, 'illegal_argument_exception');
  }
  const names = nearestNames(kind, AGGREGATION_PARSERS.keys());
  const hint =
    names.length === 0 ? '' : ` did you mean ${names.length === 1 ? `[${names[0]}]` : `any of [${names.join(', ')}]`}?`;
  throw place.error(`Unknown aggregation type [${kind}]${hint}`);
}
