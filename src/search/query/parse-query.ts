/** A query of the DSL: the object with one member that names the query type. */
import { illegalArgument } from '../../base/errors.js';
import { didYouMeanOf } from '../../base/suggest.js';
import type { Place } from '../body/place.js';
import type { QueryPlan } from '../plan/query-plan.js';
import type { SearchSettings } from '../settings.js';
import { QUERY_PARSERS, UNSUPPORTED_QUERIES } from './query-parsers.js';
import type { ParseQuery, QueryContext } from './query-parser.js';

export function parseQuery(place: Place, settings: SearchSettings): QueryPlan {
  return parseAt(place, settings, 1);
}

/** Where names of queries are added to while a query is parsed, which happens without a pause. */
let names: Set<string> | undefined;

/** As {@link parseQuery}; `seen` gets the name of it and of each query in it. */
export function parseNamedQuery(place: Place, settings: SearchSettings, seen: Set<string>): QueryPlan {
  names = seen;
  try {
    return parseQuery(place, settings);
  } finally {
    names = undefined;
  }
}

/** For what holds queries, and is part of queries itself. */
export function queryParser(settings: SearchSettings): ParseQuery {
  return (place) => parseQuery(place, settings);
}

function parseAt(place: Place, settings: SearchSettings, depth: number): QueryPlan {
  checkDepth(settings, depth);
  if (!place.isObject) throw place.error('[_na] query malformed, must start with start_object');
  const [first, second] = place.members();
  if (first === undefined) throw illegalArgument('query malformed, empty clause found');
  const [name, body] = first;
  const parser = QUERY_PARSERS.get(name);
  if (UNSUPPORTED_QUERIES.has(name)) throw body.error(`[${name}] query is not supported`, 'illegal_argument_exception');
  if (!body.isObject) throw body.error(`[${name}] query malformed, no start_object after query name`);
  if (parser === undefined) throw body.error(`unknown query [${name}]${didYouMeanOf(name, QUERY_PARSERS.keys())}`);
  names?.add(name);
  const plan = parser.parse(body, contextAt(settings, depth));
  if (second !== undefined) {
    throw second[1].error(`[${name}] malformed query, expected [END_OBJECT] but found [FIELD_NAME]`);
  }
  return plan;
}

function contextAt(settings: SearchSettings, depth: number): QueryContext {
  return {
    settings,
    parseQuery: (inner) => parseAt(inner, settings, depth + 1),
    enter: () => {
      checkDepth(settings, depth + 1);
      return contextAt(settings, depth + 1);
    },
  };
}

function checkDepth(settings: SearchSettings, depth: number): void {
  if (depth <= settings.maxNestedDepth) return;
  throw illegalArgument(
    `The nested depth of the query exceeds the maximum nested depth for queries set in [indices.query.bool.max_nested_depth]`,
  );
}
