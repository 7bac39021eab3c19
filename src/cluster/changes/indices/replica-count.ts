/** Replicas of an index come and go. */
import { autoExpandedReplicas } from '../../copies/auto-expand.js';
import {
  copiesWithoutTargets,
  isRelocationTarget,
  otherEndOfMove,
  unassignedCopy,
  unassignedInfo,
} from '../../copies/shard-copies.js';
import type { ShardCopy, ShardState } from '../../state.js';
import type { StateDraft } from '../../state-draft.js';
import { removeInSync } from '../copies/in-sync.js';

/** Adds or takes away replicas until each shard has so many. */
export function putReplicas(draft: StateDraft, name: string, replicas: number, nowMs: number): void {
  draft.shards(name).forEach((copies, shard) => {
    const present = copiesWithoutTargets(copies).length - 1;
    if (present === replicas) return;
    const kept =
      present < replicas ? withMore(copies, shard, replicas - present, nowMs) : withFewer(copies, present - replicas);
    draft.putCopies(name, shard, kept);
    // Their files go. Copies on nodes that are away are another matter.
    for (const copy of copies) if (!kept.includes(copy)) removeInSync(draft, name, shard, copy.allocationId);
  });
}

function withMore(copies: readonly ShardCopy[], shard: number, count: number, nowMs: number): readonly ShardCopy[] {
  const info = unassignedInfo('REPLICA_ADDED', nowMs);
  const added = Array.from({ length: count }, () => unassignedCopy(shard, false, info));
  return [...copies.filter((copy) => !isRelocationTarget(copy)), ...added, ...copies.filter(isRelocationTarget)];
}

/** What is missed least goes first. */
const DISPENSABLE: readonly ShardState[] = ['UNASSIGNED', 'INITIALIZING', 'RELOCATING', 'STARTED'];

function withFewer(copies: readonly ShardCopy[], count: number): readonly ShardCopy[] {
  const replicas = copiesWithoutTargets(copies).filter((copy) => !copy.primary);
  const order = replicas
    .map((copy, at) => ({ copy, at }))
    .sort((a, b) => DISPENSABLE.indexOf(a.copy.state) - DISPENSABLE.indexOf(b.copy.state) || b.at - a.at);
  const removed = new Set(order.slice(0, count).map(({ copy }) => copy));
  for (const copy of [...removed]) {
    const target = otherEndOfMove(copies, copy);
    if (target !== undefined) removed.add(target);
  }
  return copies.filter((copy) => !removed.has(copy));
}

/** `index.auto_expand_replicas` after nodes came or went. */
export function adaptAutoExpandedReplicas(draft: StateDraft, nowMs: number): void {
  for (const name of draft.base.indices.keys()) {
    const index = draft.index(name);
    if (index === undefined) continue;
    const replicas = autoExpandedReplicas(draft.base, index.settings);
    if (replicas === undefined || replicas === index.numberOfReplicas) continue;
    draft.putIndex({
      ...index,
      settings: new Map(index.settings).set('index.number_of_replicas', String(replicas)),
      numberOfReplicas: replicas,
      version: index.version + 1,
      settingsVersion: index.settingsVersion + 1,
    });
    putReplicas(draft, name, replicas, nowMs);
  }
}
