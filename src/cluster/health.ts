/** Green, yellow or red: computed from the routing table, and whether there is a master. */
import { copiesWithoutTargets, isActive, primaryOf } from './shard-copies.js';
import type { ClusterState, IndexMetadata, ShardCopy } from './state.js';

export type HealthStatus = 'green' | 'yellow' | 'red';

export interface ShardCounts {
  readonly activePrimaries: number;
  readonly active: number;
  readonly relocating: number;
  readonly initializing: number;
  readonly unassigned: number;
  readonly unassignedPrimaries: number;
  /** Unassigned copies that wait for their node to return. */
  readonly delayed: number;
}

export interface ShardHealth extends ShardCounts {
  readonly shard: number;
  readonly status: HealthStatus;
  readonly primaryActive: boolean;
}

export interface IndexHealth extends ShardCounts {
  readonly index: IndexMetadata;
  readonly status: HealthStatus;
  readonly shards: readonly ShardHealth[];
}

export interface ClusterHealth extends ShardCounts {
  readonly status: HealthStatus;
  readonly indices: readonly IndexHealth[];
  readonly activePercent: number;
}

export function clusterHealth(state: ClusterState, indices: readonly IndexMetadata[]): ClusterHealth {
  const each = indices.map((index) => indexHealth(state, index));
  const counts = addCounts(each);
  const total = counts.active + counts.initializing + counts.unassigned;
  return {
    ...counts,
    // A node that knows no master does not know how the others fare.
    status: state.masterNodeId === '' ? 'red' : worst(each.map(({ status }) => status)),
    indices: each,
    activePercent: total === 0 ? 100 : (100 * counts.active) / total,
  };
}

export function indexHealth(state: ClusterState, index: IndexMetadata): IndexHealth {
  const shards = (state.routing.get(index.name)?.shards ?? []).map((copies, shard) =>
    shardHealth(index, shard, copies),
  );
  return { ...addCounts(shards), index, status: worst(shards.map(({ status }) => status)), shards };
}

function shardHealth(index: IndexMetadata, shard: number, copies: readonly ShardCopy[]): ShardHealth {
  const asked = copiesWithoutTargets(copies);
  const inState = (state: ShardCopy['state']): number => asked.filter((copy) => copy.state === state).length;
  const primary = primaryOf(asked);
  const primaryActive = primary !== undefined && isActive(primary);
  const active = asked.filter(isActive).length;
  return {
    shard,
    status: primaryActive
      ? active === asked.length
        ? 'green'
        : 'yellow'
      : statusWithoutPrimary(index, shard, primary),
    primaryActive,
    activePrimaries: primaryActive ? 1 : 0,
    active,
    relocating: inState('RELOCATING'),
    initializing: inState('INITIALIZING'),
    unassigned: inState('UNASSIGNED'),
    unassignedPrimaries: primary?.state === 'UNASSIGNED' ? 1 : 0,
    delayed: asked.filter(({ unassigned }) => unassigned?.delayed === true).length,
  };
}

/** A new shard that is on its way holds no data yet, so nothing is missing: not red. */
function statusWithoutPrimary(index: IndexMetadata, shard: number, primary: ShardCopy | undefined): HealthStatus {
  const isNew = (index.inSyncAllocationIds[shard]?.length ?? 0) === 0;
  const info = primary?.unassigned;
  const isOnItsWay = info?.failedAllocations === 0 && info.lastAllocationStatus !== 'deciders_no';
  return isNew && isOnItsWay ? 'yellow' : 'red';
}

function addCounts(parts: readonly ShardCounts[]): ShardCounts {
  const total = (count: (part: ShardCounts) => number): number => parts.reduce((sum, part) => sum + count(part), 0);
  return {
    activePrimaries: total((part) => part.activePrimaries),
    active: total((part) => part.active),
    relocating: total((part) => part.relocating),
    initializing: total((part) => part.initializing),
    unassigned: total((part) => part.unassigned),
    unassignedPrimaries: total((part) => part.unassignedPrimaries),
    delayed: total((part) => part.delayed),
  };
}

const SEVERITY: readonly HealthStatus[] = ['green', 'yellow', 'red'];

function worst(statuses: readonly HealthStatus[]): HealthStatus {
  return statuses.reduce((left, right) => (isAtLeast(right, left) ? left : right), 'green');
}

/** Whether `status` is as good as `wanted` or better. */
export function isAtLeast(status: HealthStatus, wanted: HealthStatus): boolean {
  return SEVERITY.indexOf(status) <= SEVERITY.indexOf(wanted);
}
