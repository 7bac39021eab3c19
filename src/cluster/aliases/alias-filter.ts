/** The filter of an alias is a query: it is checked when the alias is made, not when it is first used. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { Place } from '../../search/body/place.js';
import { parseQuery } from '../../search/query/parse-query.js';
import { DEFAULT_SEARCH_SETTINGS } from '../../search/settings.js';
import type { AliasMetadata } from '../state.js';

export function checkAliasFilter(alias: string, metadata: AliasMetadata): void {
  if (metadata.filter === undefined) return;
  try {
    parseQuery(Place.ofValue(metadata.filter), DEFAULT_SEARCH_SETTINGS);
  } catch (cause) {
    if (!(cause instanceof QuarryError)) throw cause;
    const error = illegalArgument(`failed to parse filter for alias [${alias}]`);
    throw new QuarryError(error.type, error.message, { cause });
  }
}
