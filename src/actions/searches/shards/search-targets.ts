/** Which shards a search reaches, and through which alias filters. */
import { CacheCounter } from '../../../base/cache-counters.js';
import type { JsonObject } from '../../../base/json-value.js';
import { Memo } from '../../../base/memo.js';
import { aliasTable, type AliasTarget } from '../../../cluster/aliases/aliases.js';
import { checkBlocks } from '../../../cluster/blocks/blocks.js';
import { parentStream } from '../../../cluster/data-streams/data-streams.js';
import { ALL_INDICES, expandExpressions, resolveIndices } from '../../../cluster/names/index-expression.js';
import type { IndicesOptions } from '../../../cluster/names/indices-options.js';
import { numberSetting } from '../../../cluster/settings/index-values.js';
import type { ClusterState, IndexMetadata } from '../../../cluster/state.js';
import { murmur3 } from '../../../native/bulk.js';
import { parsePreference } from '../../copy-preference.js';

export interface SearchTarget {
  readonly index: IndexMetadata;
  readonly shards: readonly number[];
  /** A hit must pass one of these; empty: every document may be found. */
  readonly filters: readonly JsonObject[];
}

export interface SearchScope {
  readonly expressions: readonly string[];
  readonly options: IndicesOptions;
  /** Comma-separated values: only the shards that they lead to are searched. */
  readonly routing: string | undefined;
  readonly preference: string | undefined;
}

/** Scopes that are remembered of each state, and how long their words may be. */
const KEPT_SCOPES = { counter: new CacheCounter('search_targets'), valuesMax: 256, textMax: 512 };

/** Most searches name the same indices as the one before. */
const known = new WeakMap<ClusterState, Memo<readonly SearchTarget[]>>();

/** Open indices in order of their names. Throws for missing, closed and blocked ones as the options say. */
export function searchTargets(state: ClusterState, scope: SearchScope, nowMs: number): readonly SearchTarget[] {
  // Names of dates mean other indices tomorrow.
  if (scope.expressions.some((expression) => expression.includes('<'))) return findTargets(state, scope, nowMs);
  let found = known.get(state);
  if (found === undefined) {
    found = new Memo(KEPT_SCOPES);
    known.set(state, found);
  }
  const { expressions, options, routing, preference } = scope;
  const words = JSON.stringify([expressions, options, routing ?? null, preference ?? null]);
  return found.get(words, () => findTargets(state, scope, nowMs));
}

function findTargets(state: ClusterState, scope: SearchScope, nowMs: number): readonly SearchTarget[] {
  const indices = resolveIndices(state, scope.expressions, scope.options, nowMs);
  const names = namesAsked(state, scope, nowMs);
  const aliases = aliasesAsked(state, names ?? new Set());
  const { shards: chosen } = parsePreference(scope.preference);
  return indices.map((index) => {
    checkBlocks(index, 'read');
    const through = aliasesThrough(state, index, names, aliases);
    const routings = routingsOf(through, scope.routing);
    const shards = routings === undefined ? allShards(index) : shardsOfRoutings(index, routings);
    return {
      index,
      shards: chosen === undefined ? shards : shards.filter((shard) => chosen.has(shard)),
      filters: filtersOf(through),
    };
  });
}

/** By index: the aliases that the scope names, sorted; also where the index is named as well. Indices without are missing. */
export function aliasNamesAsked(
  state: ClusterState,
  scope: SearchScope,
  nowMs: number,
): ReadonlyMap<IndexMetadata, readonly string[]> {
  const table = aliasTable(state);
  const asked = new Map<IndexMetadata, string[]>();
  for (const name of [...(namesAsked(state, scope, nowMs) ?? [])].sort()) {
    for (const { index } of table.get(name) ?? []) {
      const known = asked.get(index);
      if (known === undefined) asked.set(index, [name]);
      else known.push(name);
    }
  }
  return asked;
}

function namesAsked(state: ClusterState, scope: SearchScope, nowMs: number): ReadonlySet<string> | undefined {
  const { expressions } = scope;
  // Where not everything may be reached, it matters by which name each index is.
  if (expressions.length === 0 && state.access === undefined) return undefined;
  const asked = expressions.length === 0 ? [ALL_INDICES] : expressions;
  return expandExpressions(state, asked, scope.options, nowMs, 'aliases');
}

/** The aliases by which alone the index is reached; undefined when its own name, its stream, or everything, was asked for. */
function aliasesThrough(
  state: ClusterState,
  index: IndexMetadata,
  names: ReadonlySet<string> | undefined,
  aliases: ReadonlyMap<IndexMetadata, readonly AliasTarget[]>,
): readonly AliasTarget[] | undefined {
  if (names === undefined || names.has(index.name) || names.has('_all')) return undefined;
  const stream = parentStream(state, index.name);
  if (stream !== undefined && names.has(stream.name)) return undefined;
  return aliases.get(index) ?? [];
}

/** By index: the aliases of these names, in their order. */
function aliasesAsked(
  state: ClusterState,
  names: ReadonlySet<string>,
): ReadonlyMap<IndexMetadata, readonly AliasTarget[]> {
  const table = aliasTable(state);
  const asked = new Map<IndexMetadata, AliasTarget[]>();
  for (const target of [...names].flatMap((name) => table.get(name) ?? [])) {
    const known = asked.get(target.index);
    if (known === undefined) asked.set(target.index, [target]);
    else known.push(target);
  }
  return asked;
}

function filtersOf(through: readonly AliasTarget[] | undefined): readonly JsonObject[] {
  const filters = (through ?? []).map(({ metadata }) => metadata.filter);
  if (filters.includes(undefined)) return [];
  return filters.flatMap((filter) => (filter === undefined ? [] : [filter]));
}

/** Undefined: all shards. */
function routingsOf(
  through: readonly AliasTarget[] | undefined,
  asked: string | undefined,
): readonly string[] | undefined {
  const wanted = asked === undefined ? undefined : splitRoutings(asked);
  if (through === undefined || through.length === 0) return wanted;
  const demanded = through.map(({ metadata }) => metadata.searchRouting);
  if (demanded.includes(undefined)) return wanted;
  const allowed = demanded.flatMap((routing) => splitRoutings(routing ?? ''));
  return wanted === undefined ? allowed : allowed.filter((routing) => wanted.includes(routing));
}

function splitRoutings(text: string): readonly string[] {
  return text.split(',').map((routing) => routing.trim());
}

function allShards(index: IndexMetadata): readonly number[] {
  return Array.from({ length: index.numberOfShards }, (_, shard) => shard);
}

/** A routing leads to one shard, or to `index.routing_partition_size` of them. */
function shardsOfRoutings(index: IndexMetadata, routings: readonly string[]): readonly number[] {
  const { numberOfShards, routingNumShards } = index;
  const shardsPerNumber = routingNumShards / numberOfShards;
  const found = new Set<number>();
  for (const routing of routings) {
    for (let offset = 0; offset < numberSetting(index, 'routingPartitionSize'); offset++) {
      const hash = murmur3(routing) + offset;
      const floorModulo = ((hash % routingNumShards) + routingNumShards) % routingNumShards;
      found.add(Math.floor(floorModulo / shardsPerNumber));
    }
  }
  return [...found].sort((left, right) => left - right);
}
