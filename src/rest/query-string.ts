/** Percent-decoding of paths and query strings. */
import { illegalArgument } from '../base/errors.js';
import { QUERY_PARAMETERS_MAX } from '../base/limits.js';

/** The parameters by name; of a repeated one the last counts, as in the API. */
export function parseQueryString(query: string): Map<string, string> {
  const parameters = new Map<string, string>();
  if (query === '') return parameters;
  const pairs = query.split(/[&;]/);
  if (pairs.length > QUERY_PARAMETERS_MAX) {
    throw illegalArgument(
      `query string has [${pairs.length}] parameters, at most [${QUERY_PARAMETERS_MAX}] are allowed`,
    );
  }
  for (const pair of pairs) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = equals === -1 ? pair : pair.slice(0, equals);
    const value = equals === -1 ? '' : pair.slice(equals + 1);
    parameters.set(decodeComponent(name, true), decodeComponent(value, true));
  }
  return parameters;
}

/** Decodes `%XX` as UTF-8, and `+` as a space where it means one. */
export function decodeComponent(text: string, plusIsSpace: boolean): string {
  if (!text.includes('%') && !(plusIsSpace && text.includes('+'))) return text;
  try {
    return decodeURIComponent(plusIsSpace ? text.replaceAll('+', ' ') : text);
  } catch {
    throw illegalArgument(`invalid percent-encoding in [${text}]`);
  }
}
