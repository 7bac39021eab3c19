/** Points in time: views of all shards of some indices that searches come back to. */
import { QuarryError } from '../../../base/errors.js';
import type { ActionContext } from '../../context.js';
import type { CopyPreference } from '../../copy-preference.js';
import { shardKey } from '../../documents/write-target.js';
import { broadcast } from '../../indices/broadcast.js';
import type { ListedPit } from '../../operations/held-contexts.js';
import { CopyFailure, readFromCopies } from '../../read-from-copies.js';
import { encodeContextId, type ContextId, type HeldPart } from './context-id.js';
import type { Keep } from './open-searchers.js';
import { letGo } from '../shards/query-and-fetch.js';
import { openIndices, releaseHeld } from './scroll.js';
import { ownerOf, sealOf } from './seal.js';
import type { SearchedPit } from '../search.js';
import type { SearchTarget } from '../shards/search-targets.js';
import { checkFailures, type ShardCounts, type ShardFailure } from '../shards/shard-failures.js';

export interface OpenPitRequest {
  readonly targets: readonly SearchTarget[];
  /** Shards that are not among those of the targets because nothing of them is wanted. */
  readonly skipped: number;
  readonly copies: CopyPreference;
  readonly keep: Keep;
  /** Shards that cannot be opened are left out. */
  readonly allowPartial: boolean;
  /** Sorted searches get `_shard_doc` as their last key. */
  readonly hasTiebreaker: boolean;
}

export interface OpenedPit {
  readonly pitId: string;
  readonly createdMs: number;
  readonly shards: ShardCounts;
}

export async function openPit(request: OpenPitRequest, context: ActionContext): Promise<OpenedPit> {
  const createdMs = context.clock.nowMs();
  const filters = Object.fromEntries(
    request.targets.flatMap(({ index, filters: own }) => (own.length === 0 ? [] : [[index.name, own] as const])),
  );
  const keep = { ...request.keep, seal: sealOf(request.keep.seal.owner, filters) };
  const keys = request.targets.flatMap(({ index, shards }) => shards.map((shard) => shardKey(index, shard)));
  const outcomes = await Promise.all(
    keys.map(async (key) => readFromCopies(context, key, request.copies, 'open-pit', keep)),
  );
  const parts: HeldPart[] = [];
  const failures: ShardFailure[] = [];
  for (const [at, key] of keys.entries()) {
    const outcome = outcomes[at];
    if (outcome instanceof CopyFailure) failures.push({ key, error: outcome.error, nodeId: outcome.nodeId });
    else if (outcome !== undefined) parts.push({ key, place: outcome.place, searcher: outcome.output });
  }
  const { skipped } = request;
  const shards = { total: keys.length + skipped, failures, skipped };
  try {
    checkFailures({ total: keys.length, failures }, request.allowPartial);
    const pitId = encodeContextId({ kind: 'pit', parts, filters, hasTiebreaker: request.hasTiebreaker });
    await Promise.all(
      parts.map(({ key, place, searcher }) => context.shards.onCopy(key, place, 'name-pit', { searcher, pitId })),
    );
    return { pitId, createdMs, shards };
  } catch (error) {
    const opened = parts.map((part) => ({ ...part, plan: new Uint8Array(0), groups: [], isKept: false }));
    letGo(opened, context);
    throw error;
  }
}

/** What a search of the point in time asks, with the settings of those of its indices that are still there. */
export function searchedPit(id: ContextId, keepAliveMs: number | undefined, context: ActionContext): SearchedPit {
  const { indices } = context.clusterState();
  const targets = new Map<string, SearchTarget>();
  const places = id.parts.map((part) => {
    const { key } = part;
    const index = indices.get(key.index);
    // An index that is gone took its views with it.
    if (index?.uuid !== key.indexUuid) {
      throw new QuarryError('index_not_found_exception', `no such index [${key.index}]`, {
        details: { index: key.index },
      });
    }
    const target = targets.get(key.indexUuid) ?? { index, shards: [], filters: id.filters[key.index] ?? [] };
    targets.set(key.indexUuid, target);
    return { key, target, part };
  });
  return { places, keepAliveMs };
}

/** Each point in time of the subject once, the oldest first. */
export async function listPits(context: ActionContext): Promise<readonly ListedPit[]> {
  const { answers } = await broadcast(context, openIndices(context), 'list-pits', ownerOf(context));
  const pits = new Map<string, ListedPit>();
  for (const pit of answers.flatMap(({ output }) => output)) pits.set(pit.pitId, pit);
  return [...pits.values()].sort((left, right) => left.createdMs - right.createdMs);
}

export async function closeAllPits(context: ActionContext): Promise<readonly string[]> {
  const ids = (await listPits(context)).map(({ pitId }) => pitId);
  await releaseHeld(ids, 'pit', context);
  return ids;
}
