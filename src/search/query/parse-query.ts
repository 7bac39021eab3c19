/** A query of the DSL: the object with one member that names the query type. */
import { illegalArgument } from '../../base/errors.js';
import { didYouMeanOf } from '../../base/suggest.js';
import type { Place } from '../body/place.js';
import type { QueryPlan } from '../plan/query-plan.js';
import type { SearchSettings } from '../settings.js';
import { QUERY_PARSERS, UNSUPPORTED_QUERIES } from './query-parsers.js';
import type { ParseQuery, QueryContext } from './query-parser.js';

/** `seen` gets the name of the query and of each query in it. */
export function parseQuery(place: Place, settings: SearchSettings, seen?: Set<string>): QueryPlan {
  return parseAt(place, { settings, seen }, 1);
}

/** For what holds queries, and is part of queries itself. */
export function queryParser(settings: SearchSettings): ParseQuery {
  return (place) => parseQuery(place, settings);
}

/** What is the same at all depths of a query. */
interface Parsing {
  readonly settings: SearchSettings;
  readonly seen: Set<string> | undefined;
}

function parseAt(place: Place, parsing: Parsing, depth: number): QueryPlan {
  checkDepth(parsing.settings, depth);
  if (!place.isObject) throw place.error('[_na] query malformed, must start with start_object');
  const [first, second] = place.members();
  if (first === undefined) throw illegalArgument('query malformed, empty clause found');
  const [name, body] = first;
  const parser = QUERY_PARSERS.get(name);
  if (UNSUPPORTED_QUERIES.has(name)) throw body.error(`[${name}] query is not supported`, 'illegal_argument_exception');
  if (!body.isObject) throw body.error(`[${name}] query malformed, no start_object after query name`);
  if (parser === undefined) throw body.error(`unknown query [${name}]${didYouMeanOf(name, QUERY_PARSERS.keys())}`);
  parsing.seen?.add(name);
  const plan = parser.parse(body, contextAt(parsing, depth));
  if (second !== undefined) {
    throw second[1].error(`[${name}] malformed query, expected [END_OBJECT] but found [FIELD_NAME]`);
  }
  return plan;
}

function contextAt(parsing: Parsing, depth: number): QueryContext {
  const { settings } = parsing;
  return {
    settings,
    parseQuery: (inner) => parseAt(inner, parsing, depth + 1),
    enter: () => {
      checkDepth(settings, depth + 1);
      return contextAt(parsing, depth + 1);
    },
  };
}

function checkDepth(settings: SearchSettings, depth: number): void {
  if (depth <= settings.maxNestedDepth) return;
  throw illegalArgument(
    `The nested depth of the query exceeds the maximum nested depth for queries set in [indices.query.bool.max_nested_depth]`,
  );
}
