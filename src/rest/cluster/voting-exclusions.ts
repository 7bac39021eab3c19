/** `POST` and `DELETE _cluster/voting_config_exclusions`. */
import type { ActionContext } from '../../actions/context.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { isExcluded } from '../../cluster/changes/nodes/voting-exclusions.js';
import type { ClusterState, VotingExclusion } from '../../cluster/state.js';
import { answerAcknowledged } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { acknowledgedParameters, booleanParameter, listParameter, timeParameter } from '../parameters.js';

/** As clients of either kind know it. */
const ONE_OF = {
  elasticsearch: 'You must set [node_names] or [node_ids] but not both',
  opensearch:
    'Please set node identifiers correctly. One and only one of [node_name], [node_names] and [node_ids] has to be set',
} as const;
const REMOVAL_WAIT_MS = 30_000;

export const addVotingExclusionsEndpoint = defineEndpoint({
  name: 'cluster.post_voting_config_exclusions',
  action: 'cluster:admin/voting_config/add_exclusions',
  methods: ['POST'],
  paths: ['/_cluster/voting_config_exclusions'],
  parameters: { ...acknowledgedParameters, node_ids: listParameter(), node_names: listParameter() },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters, sentParameters } = request;
    const nodeIds = [...new Set(parameters.node_ids ?? [])];
    const nodeNames = [...new Set(parameters.node_names ?? [])];
    if (nodeIds.length > 0 === nodeNames.length > 0) {
      throw illegalArgument(ONE_OF[context.settings.values['compatibility.distribution']]);
    }
    if (parameters.timeout < 0) throw illegalArgument(`timeout [${parameters.timeout}ms] must be non-negative`);
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    const asked = await context.coordinator.submit('add-voting-exclusions', { nodeIds, nodeNames }, { timeoutMs });
    await waitFor(
      context,
      (state) => haveNoVote(state, asked),
      parameters.timeout,
      () => {
        const wanted = asked.map(describe).join(', ');
        return `timed out waiting for voting config exclusions [${wanted}] to take effect`;
      },
    );
    return answerAcknowledged();
  },
});

export const clearVotingExclusionsEndpoint = defineEndpoint({
  name: 'cluster.delete_voting_config_exclusions',
  action: 'cluster:admin/voting_config/clear_exclusions',
  methods: ['DELETE'],
  paths: ['/_cluster/voting_config_exclusions'],
  parameters: {
    wait_for_removal: booleanParameter(true),
    master_timeout: timeParameter(30_000),
    cluster_manager_timeout: timeParameter(30_000),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters, sentParameters } = request;
    if (parameters.wait_for_removal) {
      await waitFor(context, haveLeft, REMOVAL_WAIT_MS, (state) => {
        const present = state.voting.exclusions.map(describe).join(', ');
        return (
          'timed out waiting for removal of nodes; if nodes should not be removed, set ?wait_for_removal=false. ' +
          `[${present}]`
        );
      });
    }
    const timeoutMs = masterTimeoutMs(parameters, sentParameters);
    await context.coordinator.submit('clear-voting-exclusions', null, { timeoutMs });
    return answerAcknowledged();
  },
});

async function waitFor(
  context: ActionContext,
  holds: (state: ClusterState) => boolean,
  timeoutMs: number,
  describeTimeout: (state: ClusterState) => string,
): Promise<void> {
  if (holds(context.clusterState()) || (await context.whenState(holds, timeoutMs)) !== undefined) return;
  throw new QuarryError('timeout_exception', describeTimeout(context.clusterState()));
}

function haveNoVote(state: ClusterState, exclusions: readonly VotingExclusion[]): boolean {
  const voters = new Set(state.voting.voters);
  return [...state.nodes.values()].every((node) => !isExcluded(exclusions, node) || !voters.has(node.raftId));
}

function haveLeft(state: ClusterState): boolean {
  return [...state.nodes.values()].every((node) => !isExcluded(state.voting.exclusions, node));
}

function describe({ nodeId, nodeName }: VotingExclusion): string {
  return `{${nodeName}}{${nodeId}}`;
}
