/** How an index expression is read: what wildcards reach, and what a missing index means. */
import { illegalArgument } from '../../base/errors.js';

export interface IndicesOptions {
  /** A named index that is missing, or closed where that matters, is left out instead of refused. */
  readonly ignoreUnavailable: boolean;
  /** A pattern that matches nothing is no error. */
  readonly allowNoIndices: boolean;
  readonly expandOpen: boolean;
  readonly expandClosed: boolean;
  readonly expandHidden: boolean;
  /** A closed index named directly is refused. */
  readonly forbidClosed: boolean;
  /** Aliases do not count: only concrete indices may be named. */
  readonly ignoreAliases: boolean;
  /** An alias of several indices is accepted. */
  readonly allowAliasesToMultipleIndices: boolean;
}

const BASE: IndicesOptions = {
  ignoreUnavailable: false,
  allowNoIndices: true,
  expandOpen: true,
  expandClosed: false,
  expandHidden: false,
  forbidClosed: false,
  ignoreAliases: false,
  allowAliasesToMultipleIndices: true,
};

/** Defaults of the API's families of operations. */
export const IndicesDefaults = {
  /** Reads of metadata. */
  expandOpen: BASE,
  /** Searches, refresh, flush, statistics. */
  expandOpenForbidClosed: { ...BASE, forbidClosed: true },
  /** Settings, cat. */
  expandOpenAndClosed: { ...BASE, expandClosed: true },
  /** Changes of mapping and settings. */
  change: { ...BASE, expandClosed: true, allowNoIndices: false },
  delete: { ...BASE, expandClosed: true, ignoreAliases: true, allowAliasesToMultipleIndices: false },
  open: { ...BASE, expandOpen: false, expandClosed: true },
  /** Health and state: whatever there is. */
  lenient: { ...BASE, ignoreUnavailable: true, expandClosed: true, expandHidden: true },
  /** One document: one index. */
  single: {
    ...BASE,
    allowNoIndices: false,
    expandOpen: false,
    forbidClosed: true,
    allowAliasesToMultipleIndices: false,
  },
} as const satisfies Record<string, IndicesOptions>;

/** What a request says about it; undefined members keep the defaults. */
export interface IndicesParameters {
  readonly ignore_unavailable?: boolean | undefined;
  readonly allow_no_indices?: boolean | undefined;
  readonly expand_wildcards?: readonly string[] | undefined;
}

export function indicesOptions(defaults: IndicesOptions, parameters: IndicesParameters): IndicesOptions {
  const { ignore_unavailable, allow_no_indices, expand_wildcards } = parameters;
  return {
    ...defaults,
    ignoreUnavailable: ignore_unavailable ?? defaults.ignoreUnavailable,
    allowNoIndices: allow_no_indices ?? defaults.allowNoIndices,
    ...(expand_wildcards === undefined ? {} : expansion(expand_wildcards)),
  };
}

function expansion(words: readonly string[]): Pick<IndicesOptions, 'expandOpen' | 'expandClosed' | 'expandHidden'> {
  let result = { expandOpen: false, expandClosed: false, expandHidden: false };
  for (const word of words) {
    switch (word) {
      case 'open':
        result = { ...result, expandOpen: true };
        break;
      case 'closed':
        result = { ...result, expandClosed: true };
        break;
      case 'hidden':
        result = { ...result, expandHidden: true };
        break;
      case 'none':
        result = { expandOpen: false, expandClosed: false, expandHidden: false };
        break;
      case 'all':
        result = { expandOpen: true, expandClosed: true, expandHidden: true };
        break;
      default:
        throw illegalArgument(`No valid expand wildcard value [${word}]`);
    }
  }
  return result;
}
