/** Nodes that shall not vote any more: recorded by their operator before he stops them. */
import { must } from '../../../base/assert.js';
import { illegalArgument } from '../../../base/errors.js';
import { effectiveClusterSettings } from '../../settings/effective-cluster-settings.js';
import { ClusterSettingDefinitions } from '../../settings/cluster-settings.js';
import { valueOf } from '../../settings/registry.js';
import type { ClusterState, NodeRecord, VotingExclusion } from '../../state.js';
import { nextState, type Change, type ChangeEnvironment } from '../change.js';

/** Either ids or names; the other is empty. */
export interface AddVotingExclusionsInput {
  readonly nodeIds: readonly string[];
  readonly nodeNames: readonly string[];
}

/** Stands for the id or the name of a node that is not there. */
export const ABSENT = '_absent_';

/** Gives the exclusions of the nodes that were asked for and can lead, those that were there before too. */
export function addVotingExclusions(
  state: ClusterState,
  input: AddVotingExclusionsInput,
  environment: ChangeEnvironment,
): Change<readonly VotingExclusion[]> {
  const asked = [
    ...input.nodeIds.flatMap((id) => exclusionOf(state.nodes.get(id), { nodeId: id, nodeName: ABSENT })),
    ...input.nodeNames.flatMap((name) => exclusionOf(nodeNamed(state, name), { nodeId: ABSENT, nodeName: name })),
  ];
  const before = state.voting.exclusions;
  const added = asked.filter(
    (exclusion, at) => !contains(before, exclusion) && !contains(asked.slice(0, at), exclusion),
  );
  if (added.length === 0) return { state, result: asked };
  const request = `add voting config exclusions request for [${[...input.nodeIds, ...input.nodeNames].join(', ')}]`;
  const { maxVotingConfigExclusions } = ClusterSettingDefinitions;
  const exclusionsMax = must(valueOf(maxVotingConfigExclusions, effectiveClusterSettings(state)), 'default limit');
  if (before.length + added.length > exclusionsMax) {
    throw illegalArgument(
      `${request} would add [${added.length}] exclusions to the existing [${before.length}] which would exceed the ` +
        `maximum of [${exclusionsMax}] set by [${maxVotingConfigExclusions.key}]`,
    );
  }
  const exclusions = [...before, ...added];
  checkQuorum(state, exclusions, request);
  return { state: nextState(state, { voting: { ...state.voting, exclusions } }, environment), result: asked };
}

export function clearVotingExclusions(state: ClusterState, _input: null, environment: ChangeEnvironment): Change<null> {
  if (state.voting.exclusions.length === 0) return { state, result: null };
  return { state: nextState(state, { voting: { ...state.voting, exclusions: [] } }, environment), result: null };
}

/** These members of the group vote from now on. */
export function votersChanged(
  state: ClusterState,
  input: { readonly voters: readonly string[] },
  environment: ChangeEnvironment,
): Change<null> {
  const voters = [...input.voters].sort();
  if (voters.join() === state.voting.voters.join()) return { state, result: null };
  return { state: nextState(state, { voting: { ...state.voting, voters } }, environment), result: null };
}

/** Whether the exclusion speaks of this node. */
export function isExcluded(exclusions: readonly VotingExclusion[], node: NodeRecord): boolean {
  return exclusions.some(({ nodeId, nodeName }) => (nodeId === ABSENT ? nodeName === node.name : nodeId === node.id));
}

/** A node that cannot lead has no vote that could be taken from it. */
function exclusionOf(node: NodeRecord | undefined, absent: VotingExclusion): readonly VotingExclusion[] {
  if (node === undefined) return [absent];
  return node.roles.includes('master') ? [{ nodeId: node.id, nodeName: node.name }] : [];
}

function nodeNamed(state: ClusterState, name: string): NodeRecord | undefined {
  return [...state.nodes.values()].find((node) => node.name === name);
}

function contains(exclusions: readonly VotingExclusion[], { nodeId, nodeName }: VotingExclusion): boolean {
  return exclusions.some((each) => each.nodeId === nodeId && each.nodeName === nodeName);
}

/** What is left must be able to elect a master, and to be one. */
function checkQuorum(state: ClusterState, exclusions: readonly VotingExclusion[], request: string): void {
  const nodes = [...state.nodes.values()];
  const left = nodes.filter((node) => node.roles.includes('master') && !isExcluded(exclusions, node));
  if (!left.some((node) => !node.roles.includes('voting_only'))) {
    throw illegalArgument(`${request} would leave no node that can be the master`);
  }
  const excluded = new Set(nodes.filter((node) => isExcluded(exclusions, node)).map(({ raftId }) => raftId));
  const voters = state.voting.voters.filter((raftId) => !excluded.has(raftId));
  const alive = voters.filter((raftId) => nodes.some((node) => node.raftId === raftId));
  if (voters.length > 0 && alive.length * 2 <= voters.length) {
    throw illegalArgument(
      `${request} would leave [${voters.length}] voting nodes of which [${alive.length}] are in the cluster, which is ` +
        'no majority',
    );
  }
}
