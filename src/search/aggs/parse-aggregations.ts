/** `aggs`: named aggregations, each of one kind, with others below it. */
import { illegalArgument } from '../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../base/json-value.js';
import { nearestNames } from '../../base/suggest.js';
import type { Place } from '../body/place.js';
import { parseQuery } from '../query/parse-query.js';
import type { SearchSettings } from '../settings.js';
import type { AggregationContext, AggregationParser } from './aggregation-parser.js';
import { AGGREGATION_PARSERS, UNSUPPORTED_AGGREGATIONS } from './aggregation-parsers.js';
import type { AggregationPlan } from './aggregation-plan.js';
import { arrange, type ParentAggregation, type ParsedAggregation } from './pipelines/arrange.js';

/** Levels of aggregations below each other. */
const DEPTH_MAX = 64;
const NAME = /^[^[\]>]+$/;

/** Checks a request's `aggs`. Throws errors of the API's types with status 400 and the place in the body. */
export function parseAggregations(place: Place, settings: SearchSettings): readonly AggregationPlan[] {
  return parseLevel(place, settings, []);
}

interface Ancestor extends ParentAggregation {
  readonly name: string;
}

function parseLevel(place: Place, settings: SearchSettings, above: readonly Ancestor[]): readonly AggregationPlan[] {
  if (above.length >= DEPTH_MAX) throw illegalArgument(`aggregations may be nested at most [${DEPTH_MAX}] levels deep`);
  if (!place.isObject) throw place.error(`Expected [START_OBJECT] under [aggs], but got a [${place.token}]`);
  const level = place.members().map(([name, body]) => parseOne(name, body, settings, above));
  return arrange(level, above.at(-1));
}

function parseOne(name: string, body: Place, settings: SearchSettings, above: readonly Ancestor[]): ParsedAggregation {
  checkDefinition(name, body);
  const inputs: string[] = [];
  const context: AggregationContext = {
    name,
    settings,
    parent: above.at(-1)?.name,
    ancestors: above.map(({ parser }) => parser.name),
    noteInput: (path) => void inputs.push(path),
    parseQuery: (query) => parseQuery(query, settings),
  };
  let found: { readonly parser: AggregationParser; readonly kind: object } | undefined;
  let below: Place | undefined;
  let meta: JsonObject | undefined;
  for (const [member, value] of body.members()) {
    if (member === 'meta') {
      if (!isJsonObject(value.value))
        throw value.error(`Expected [START_OBJECT] under [meta], but got a [${value.token}] in [${name}]`);
      meta = value.value;
    } else if (member === 'aggs' || member === 'aggregations') {
      if (below !== undefined) throw value.error(`Found two sub aggregation definitions under [${name}]`);
      below = value;
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
      found = { parser, kind: parser.parse(value, context) };
    }
  }
  if (found === undefined) throw body.error(`Missing definition for aggregation [${name}]`);
  const { parser, kind } = found;
  const self = { name, parser, plan: { kind } };
  const aggs = below === undefined ? [] : parseLevel(below, settings, [...above, self]);
  if (aggs.length > 0 && !parser.takesChildren) throw cannotHaveChildren(name, parser, body);
  return { plan: { name, ...(meta === undefined ? {} : { meta }), kind, aggs }, parser, inputs };
}

function checkDefinition(name: string, body: Place): void {
  if (!NAME.test(name)) {
    throw body.error(
      `Invalid aggregation name [${name}]. Aggregation names can contain any character except '[', ']', and '>'`,
    );
  }
  if (!body.isObject) {
    throw body.error(`Aggregation definition for [${name} starts with a [${body.token}], expected a [START_OBJECT].`);
  }
}

function cannotHaveChildren(name: string, parser: AggregationParser, body: Place): Error {
  if (parser.pipeline !== undefined) return illegalArgument(`Aggregation [${name}] cannot define sub-aggregations`);
  return body.error(
    `Aggregator [${name}] of type [${parser.name}] cannot accept sub-aggregations`,
    'aggregation_initialization_exception',
  );
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
