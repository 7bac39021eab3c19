/** Green, yellow or red: computed from the routing table, and whether there is a master. */
import { copiesWithoutTargets, isActive, primaryOf } from './copies/shard-copies.js';
import { IndexTally } from './copies/index-tally.js';
import type { ClusterState, IndexMetadata, IndexRouting, ShardCopy } from './state.js';

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

const SHARD_COUNTS = [
  'activePrimaries',
  'active',
  'relocating',
  'initializing',
  'unassigned',
  'unassignedPrimaries',
  'delayed',
] as const satisfies readonly (keyof ShardCounts)[];

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

/** Of several indices. */
export interface HealthSummary extends ShardCounts {
  readonly status: HealthStatus;
  readonly activePercent: number;
}

export interface ClusterHealth extends HealthSummary {
  readonly indices: readonly IndexHealth[];
}

export function clusterHealth(state: ClusterState, indices: readonly IndexMetadata[]): ClusterHealth {
  const each = indices.map((index) => indexHealth(state, index));
  const status = worst(each.map(({ status: ofIndex }) => ofIndex));
  return { ...summary(state, addCounts(each), status), indices: each };
}

/** Of all indices. Costs as much as has changed since it was asked for last. */
export function overallHealth(state: ClusterState): HealthSummary {
  overall.follow(state);
  const { counts, byStatus } = overallCounts;
  const status = byStatus.red > 0 ? 'red' : byStatus.yellow > 0 ? 'yellow' : 'green';
  return summary(state, counts, status);
}

const overallCounts = { counts: addCounts([]), byStatus: { green: 0, yellow: 0, red: 0 } };

const overall = new IndexTally(({ index, table }, sign) => {
  const health = healthOf(index, table);
  overallCounts.byStatus[health.status] += sign;
  for (const count of SHARD_COUNTS) overallCounts.counts[count] += sign * health[count];
});

function summary({ masterNodeId }: ClusterState, counts: ShardCounts, status: HealthStatus): HealthSummary {
  const total = counts.active + counts.initializing + counts.unassigned;
  return {
    ...counts,
    // A node that knows no master does not know how the others fare.
    status: masterNodeId === '' ? 'red' : status,
    activePercent: total === 0 ? 100 : (100 * counts.active) / total,
  };
}

export function indexHealth(state: ClusterState, index: IndexMetadata): IndexHealth {
  const table = state.routing.get(index.name);
  return table === undefined ? { ...addCounts([]), index, status: 'green', shards: [] } : healthOf(index, table);
}

/** By the places of the shards: as long as these and the index stay the same, so does its health. */
const known = new WeakMap<IndexRouting, IndexHealth>();

function healthOf(index: IndexMetadata, table: IndexRouting): IndexHealth {
  const former = known.get(table);
  if (former?.index === index) return former;
  const shards = table.shards.map((copies, shard) => shardHealth(index, shard, copies));
  const health = { ...addCounts(shards), index, status: worst(shards.map(({ status }) => status)), shards };
  known.set(table, health);
  return health;
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

function addCounts(parts: readonly ShardCounts[]): Record<keyof ShardCounts, number> {
  const sums = {
    activePrimaries: 0,
    active: 0,
    relocating: 0,
    initializing: 0,
    unassigned: 0,
    unassignedPrimaries: 0,
    delayed: 0,
  };
  for (const part of parts) for (const count of SHARD_COUNTS) sums[count] += part[count];
  return sums;
}

const SEVERITY: readonly HealthStatus[] = ['green', 'yellow', 'red'];

function worst(statuses: readonly HealthStatus[]): HealthStatus {
  return statuses.reduce((left, right) => (isAtLeast(right, left) ? left : right), 'green');
}

/** Whether `status` is as good as `wanted` or better. */
export function isAtLeast(status: HealthStatus, wanted: HealthStatus): boolean {
  return SEVERITY.indexOf(status) <= SEVERITY.indexOf(wanted);
}
