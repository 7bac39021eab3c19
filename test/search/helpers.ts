import type { JsonObject, JsonValue } from '../../src/base/json-value.js';
import { QuarryError } from '../../src/base/errors.js';
import type { RequestBody } from '../../src/search/body/place.js';
import type { SearchPlan } from '../../src/search/plan/search-plan.js';
import { planSearch, readSearchRequest, type SearchContext } from '../../src/search/request/parse-search-request.js';
import type { SearchParameters } from '../../src/search/request/search-parameters.js';
import { DEFAULT_SEARCH_SETTINGS, type SearchSettings } from '../../src/search/settings.js';

/** A body as the REST layer would hand it over. */
export function bodyOf(text: string): RequestBody {
  return { bytes: new TextEncoder().encode(text), object: () => JSON.parse(text) as JsonObject };
}

export function parseText(
  text: string,
  parameters: SearchParameters = {},
  settings: Partial<SearchSettings> = {},
): SearchPlan {
  return parseFor(bodyOf(text), parameters, { settings: { ...DEFAULT_SEARCH_SETTINGS, ...settings }, nowMs: 7 });
}

export function parseFor(body: RequestBody, parameters: SearchParameters, context: SearchContext): SearchPlan {
  return planSearch(readSearchRequest(body, parameters, context.settings), parameters, context);
}

export function parse(body: JsonValue, parameters: SearchParameters = {}): SearchPlan {
  return parseText(JSON.stringify(body), parameters);
}

/** The plan of a query, or the error that refuses it as `type: reason`. */
export function query(body: JsonValue): unknown {
  return refusalOr(() => parse({ query: body }).query);
}

export function refusalOr(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof QuarryError) return `${error.type}: ${error.message}`;
    throw error;
  }
}
