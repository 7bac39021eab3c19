/**
 * `POST _cluster/reroute`, and every reroute that is due without a change: a delay elapsed, disks filled or emptied, a
 * shutdown is to be forgotten.
 */
import type { JsonObject } from '../../../base/json-value.js';
import { AllocationRound } from '../../allocation/allocation-round.js';
import { reroute } from '../../allocation/reroute.js';
import type { Decision } from '../../deciders/decider.js';
import { withoutExpired } from '../../nodes/expired-shutdowns.js';
import { renderRerouteCommand, type RerouteCommand } from '../../allocation/reroute-command.js';
import type { ClusterState, ShardCopy } from '../../state.js';
import { StateDraft } from '../../state-draft.js';
import { carryOut, RefusedCommand } from './carry-out-reroute.js';
import { nextState, type Change, type ChangeEnvironment } from '../change.js';

export interface RerouteInput {
  /** One after the other; all or, without `explain`, none. */
  readonly commands?: readonly RerouteCommand[];
  /** Nothing is changed; the state that would be is the result. */
  readonly dryRun?: boolean;
  /** A command that cannot be carried out is explained instead of refused. */
  readonly explain?: boolean;
  /** Copies that failed too often are tried again. */
  readonly retryFailed?: boolean;
}

export interface RerouteExplanation {
  readonly command: RerouteCommand['kind'];
  readonly parameters: JsonObject;
  readonly decisions: readonly Decision[];
}

export interface RerouteResult {
  readonly explanations: readonly RerouteExplanation[];
  /** Of a dry run. */
  readonly state?: ClusterState;
}

export function rerouteCluster(
  state: ClusterState,
  input: RerouteInput,
  environment: ChangeEnvironment,
): Change<RerouteResult> {
  const explanations: RerouteExplanation[] = [];
  const shutdowns = withoutExpired(state, environment.nowMs);
  const known = shutdowns === state.shutdowns ? state : { ...state, shutdowns };
  let current = input.retryFailed === true ? withoutFailures(known) : known;
  for (const command of input.commands ?? []) {
    const { decisions, after } = carriedOut(current, command, environment, input.explain === true);
    explanations.push({ command: command.kind, parameters: renderRerouteCommand(command), decisions });
    current = after;
  }
  const routing = reroute(current, environment);
  const { indices } = current;
  const isChanged = indices !== state.indices || routing !== state.routing || shutdowns !== state.shutdowns;
  const next = isChanged ? nextState(state, { indices, routing, shutdowns }, environment) : state;
  return input.dryRun === true
    ? { state, result: { explanations, state: next } }
    : { state: next, result: { explanations } };
}

function carriedOut(
  state: ClusterState,
  command: RerouteCommand,
  environment: ChangeEnvironment,
  explain: boolean,
): { readonly decisions: readonly Decision[]; readonly after: ClusterState } {
  const round = new AllocationRound(state, environment, { explains: true, ignoresDisable: true });
  try {
    const decisions = carryOut(round, command);
    return { decisions, after: { ...state, indices: round.draft.indices(), routing: round.draft.routing() } };
  } catch (error) {
    if (explain && error instanceof RefusedCommand) return { decisions: error.decisions, after: state };
    throw error;
  }
}

/** Nothing has failed before. */
function withoutFailures(state: ClusterState): ClusterState {
  const draft = new StateDraft(state);
  for (const [name, { shards }] of state.routing) {
    for (const copies of shards) {
      for (const copy of copies) {
        const forgiven = forgive(copy);
        if (forgiven !== copy) draft.replaceCopy(name, copy, forgiven);
      }
    }
  }
  return draft.hasChanged ? { ...state, routing: draft.routing() } : state;
}

function forgive(copy: ShardCopy): ShardCopy {
  const { failedRelocations = 0, ...rest } = copy;
  const { unassigned } = copy;
  const isFailed = copy.state === 'UNASSIGNED' && unassigned !== null && unassigned.failedAllocations > 0;
  if (failedRelocations === 0 && !isFailed) return copy;
  return { ...rest, unassigned: isFailed ? { ...unassigned, failedAllocations: 0, failedNodeIds: [] } : unassigned };
}
