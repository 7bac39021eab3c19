/** Who votes: which members of the group elect the master and agree on states. Pure. */
import { isExcluded } from '../cluster/changes/nodes/voting-exclusions.js';
import type { ClusterState, NodeRecord } from '../cluster/state.js';

export interface GroupMembers {
  /** `raftId`s. */
  readonly voters: readonly string[];
  /** Are told everything, and do not vote. */
  readonly learners: readonly string[];
}

/** With fewer voters the loss of one more would stop the cluster: those that are gone stay voters then. */
const VOTERS_KEPT_MIN = 3;

export function isMasterEligible({ roles }: Pick<NodeRecord, 'roles'>): boolean {
  return roles.includes('master');
}

/** Whether it may be the master: who votes only is elected, if at all, to hand the office on. */
export function mayLead({ roles }: Pick<NodeRecord, 'roles'>): boolean {
  return roles.includes('master') && !roles.includes('voting_only');
}

/**
 * The members as they should be: all nodes of the state belong to the group. Nodes that are master-eligible and not
 * excluded vote, an odd number of them, so that a cluster cut in halves has a half that goes on; the others learn. Voters
 * that are gone are replaced once three remain, or all of them. Nothing changes while most of those that would vote are not
 * in the state: first voters that have not begun yet may be among them, and they begin only where there is a master.
 */
export function desiredMembers(state: ClusterState, current: GroupMembers, leader: string): GroupMembers {
  const nodes = [...state.nodes.values()];
  const excluded = nodes.filter((node) => isExcluded(state.voting.exclusions, node));
  const eligible = nodes
    .filter((node) => isMasterEligible(node) && !excluded.includes(node))
    .map(({ raftId }) => raftId);
  const excludedIds = new Set(excluded.map(({ raftId }) => raftId));
  const live = new Set(eligible);
  const chosen = oddNumber(keepLost(eligible, current.voters, excludedIds), live, current.voters, leader);
  const voters = 2 * chosen.filter((id) => live.has(id)).length > chosen.length ? chosen : current.voters;
  const learners = nodes.map(({ raftId }) => raftId).filter((id) => !voters.includes(id));
  return { voters: [...voters].sort(), learners: learners.sort() };
}

/** The live ones, and as many of the lost as are needed to have as many as before, up to the minimum. */
function keepLost(
  live: readonly string[],
  current: readonly string[],
  excluded: ReadonlySet<string>,
): readonly string[] {
  const lost = current.filter((id) => !live.includes(id) && !excluded.has(id));
  const target = Math.min(VOTERS_KEPT_MIN, current.filter((id) => !excluded.has(id)).length);
  return [...live, ...lost.slice(0, Math.max(0, target - live.length))];
}

/** Leaves one out where the number is even: a lost one first, then one that did not vote before, never the leader. */
function oddNumber(
  ids: readonly string[],
  live: ReadonlySet<string>,
  current: readonly string[],
  leader: string,
): readonly string[] {
  if (ids.length % 2 === 1 || ids.length === 0) return ids;
  const rank = (id: string): number =>
    (id === leader ? 3 : 0) + (live.has(id) ? 1 : 0) + (current.includes(id) ? 1 : 0);
  const leastNeeded = [...ids].sort((left, right) => rank(left) - rank(right) || (left < right ? 1 : -1))[0];
  return ids.filter((id) => id !== leastNeeded);
}

export function isSameGroup(left: GroupMembers, right: GroupMembers): boolean {
  const same = (some: readonly string[], others: readonly string[]): boolean =>
    some.length === others.length && some.every((id) => others.includes(id));
  return same(left.voters, right.voters) && same(left.learners, right.learners);
}
