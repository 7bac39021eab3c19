/** The `preference` of searches and reads: which shards they are confined to, and which copies they would rather have. */
import { illegalArgument } from '../base/errors.js';

/**
 * - `adaptive`: whichever copy is likely to answer first.
 * - `local`: one on the node that was asked, if it has one; `only-local`: no other.
 * - `prefer-nodes`, `only-nodes`: the same for the named nodes; the first knows ids, the second also names and attributes.
 * - `same`: for one text always the same copy while the copies are the same.
 */
export type CopyPreference =
  | { readonly kind: 'adaptive' | 'local' | 'only-local' }
  | { readonly kind: 'primary' | 'primary-first' | 'replica' | 'replica-first' }
  | { readonly kind: 'prefer-nodes' | 'only-nodes'; readonly nodes: readonly string[] }
  | { readonly kind: 'same'; readonly text: string };

export interface ReadPreference {
  /** Undefined: all shards. */
  readonly shards: ReadonlySet<number> | undefined;
  readonly copies: CopyPreference;
}

export const ADAPTIVE: CopyPreference = { kind: 'adaptive' };
export const PRIMARY: CopyPreference = { kind: 'primary' };

const KINDS = {
  _local: 'local',
  _only_local: 'only-local',
  _primary: 'primary',
  _primary_first: 'primary-first',
  _replica: 'replica',
  _replica_first: 'replica-first',
} as const;

/** `_shards:0,2|_local`, `_only_nodes:a,b`, `_local`, or any text that does not begin with an underscore. */
export function parsePreference(preference: string | undefined): ReadPreference {
  if (preference === undefined || preference === '') return { shards: undefined, copies: ADAPTIVE };
  if (!preference.startsWith('_shards:')) return { shards: undefined, copies: copyPreference(preference) };
  const [numbers = '', ...others] = preference.slice('_shards:'.length).split('|');
  const shards = numbers.split(',').map((text) => (/^\d+$/.test(text) ? Number(text) : NaN));
  if (shards.some((shard) => Number.isNaN(shard))) {
    throw illegalArgument(`failed to parse the shard numbers of preference [${preference}]`);
  }
  const rest = others.join('|');
  return { shards: new Set(shards), copies: rest === '' ? ADAPTIVE : copyPreference(rest) };
}

function copyPreference(preference: string): CopyPreference {
  if (!preference.startsWith('_')) return { kind: 'same', text: preference };
  const colon = preference.indexOf(':');
  const name = colon === -1 ? preference : preference.slice(0, colon);
  const nodes = colon === -1 ? [] : preference.slice(colon + 1).split(',');
  if (name === '_prefer_nodes') return { kind: 'prefer-nodes', nodes };
  if (name === '_only_nodes') return { kind: 'only-nodes', nodes };
  if (Object.hasOwn(KINDS, name)) return { kind: KINDS[name as keyof typeof KINDS] };
  throw illegalArgument(`no Preference for [${name}]`);
}
