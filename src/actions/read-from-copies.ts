/** Reads of one shard: from one of its copies, and from the next when that one fails. */
import { asQuarryError } from '../base/error-wire.js';
import type { QuarryError } from '../base/errors.js';
import { effectiveClusterSettings } from '../cluster/settings/effective-cluster-settings.js';
import { isActive } from '../cluster/copies/shard-copies.js';
import type { ClusterState } from '../cluster/state.js';
import { ClusterSettingDefinitions } from '../cluster/settings/cluster-settings.js';
import { valueOf } from '../cluster/settings/registry.js';
import type { ActionContext, NodeIdentity } from './context.js';
import type { CopyPreference } from './copy-preference.js';
import { copiesInOrder, copiesOf, type PlacedCopy } from './copy-selection.js';
import type { CopyPlace, ShardKey } from './shard-client.js';
import { noShardAvailable } from './shard-host.js';
import type { ShardOperationInput, ShardOperationName, ShardOperationOutput } from './shard-operations.js';

/** What reads reach. */
export interface ReadContext extends Pick<
  ActionContext,
  'clusterState' | 'whenState' | 'clock' | 'shards' | 'cancellation'
> {
  readonly node: Pick<NodeIdentity, 'id'>;
}

export interface CopyAnswer<Output> {
  /** Where what belongs to this answer is asked for. */
  readonly place: CopyPlace;
  readonly output: Output;
}

export class CopyFailure {
  readonly error: QuarryError;
  /** Of the copy that failed last; undefined when there was none to ask. */
  readonly nodeId: string | undefined;

  constructor(error: QuarryError, nodeId: string | undefined) {
    this.error = error;
    this.nodeId = nodeId;
  }
}

/** Copies that one read tries: moves can make ever new ones. */
const TRIES_MAX = 16;
/** For the state that tells where a copy is which its node has closed already. */
const NEWER_STATE_MS_MAX = 2_000;

/** Throws only what is wrong with the preference. */
export async function readFromCopies<Name extends ShardOperationName>(
  context: ReadContext,
  key: ShardKey,
  preference: CopyPreference,
  name: Name,
  input: ShardOperationInput<Name>,
): Promise<CopyAnswer<ShardOperationOutput<Name>> | CopyFailure> {
  const tried = new Set<string>();
  let failure: CopyFailure | undefined;
  while (tried.size < TRIES_MAX) {
    const copy =
      nextCopy(context, key, preference, tried) ?? (await movedCopy(context, key, preference, tried, failure));
    if (copy === undefined) break;
    tried.add(copy.allocationId);
    const { nodeId, workerSlot } = copy;
    try {
      return await context.shards.read(key, { nodeId, workerSlot }, name, input);
    } catch (thrown) {
      const error = asQuarryError(thrown);
      failure = new CopyFailure(error, nodeId);
      if (context.cancellation.isCancelled || !mayAnotherAnswer(error)) return failure;
    }
  }
  if (failure !== undefined && failure.error.type !== 'shard_not_found_exception') return failure;
  // That a copy is not open where the state places it is no `404`: to a client that would tell that a document is not there.
  const why = whyUnassigned(context, key) ?? failure?.error.message;
  return new CopyFailure(noShardAvailable(key, why), failure?.nodeId);
}

/** As {@link readFromCopies}; throws the failure. */
export async function requireFromCopies<Name extends ShardOperationName>(
  context: ReadContext,
  key: ShardKey,
  preference: CopyPreference,
  name: Name,
  input: ShardOperationInput<Name>,
): Promise<ShardOperationOutput<Name>> {
  const answer = await readFromCopies(context, key, preference, name, input);
  if (answer instanceof CopyFailure) throw answer.error;
  return answer.output;
}

/** By the newest state: a copy that moved while another was asked is found in its new place. */
function nextCopy(
  context: ReadContext,
  key: ShardKey,
  preference: CopyPreference,
  tried: ReadonlySet<string>,
): PlacedCopy | undefined {
  const { ranks } = context.shards;
  const state = context.clusterState();
  const isAdaptive = valueOf(ClusterSettingDefinitions.useAdaptiveReplicaSelection, effectiveClusterSettings(state));
  const order = copiesInOrder(key, preference, {
    state,
    localNodeId: context.node.id,
    rankOf: isAdaptive === true ? (nodeId) => ranks.rankOf(nodeId) : undefined,
    turn: ranks.nextTurn(),
  });
  const [best, ...others] = order.filter(({ allocationId }) => !tried.has(allocationId));
  if (best === undefined) return undefined;
  if (preference.kind === 'adaptive') {
    ranks.passedOver(
      best.nodeId,
      others.map(({ nodeId }) => nodeId),
    );
  }
  return best;
}

/**
 * A node that lacks a copy knows a newer state than this thread: with that one there is another copy, or the index is gone. Undefined where nothing comes of
 * it.
 */
async function movedCopy(
  context: ReadContext,
  key: ShardKey,
  preference: CopyPreference,
  tried: ReadonlySet<string>,
  failure: CopyFailure | undefined,
): Promise<PlacedCopy | undefined> {
  if (failure?.error.type !== 'shard_not_found_exception') return undefined;
  const isNews = (state: ClusterState): boolean => {
    const copies = copiesOf(state, key);
    return copies.length === 0 || copies.some((copy) => isActive(copy) && !tried.has(copy.allocationId ?? ''));
  };
  const asked = copiesOf(context.clusterState(), key).filter(isActive);
  // Others that it may not ask say nothing of a newer state.
  const isKnown = asked.some(({ allocationId }) => !tried.has(allocationId ?? ''));
  const { version } = context.clusterState();
  const holds = isKnown ? (state: ClusterState): boolean => state.version > version : isNews;
  if ((await context.whenState(holds, NEWER_STATE_MS_MAX, context.cancellation)) === undefined) return undefined;
  return nextCopy(context, key, preference, tried);
}

const NOT_FOUND = 404;
const TOO_MANY = 429;
const SERVER_ERROR = 500;

/** What is wrong with the request itself is wrong on every copy. */
function mayAnotherAnswer({ status }: QuarryError): boolean {
  return status >= SERVER_ERROR || status === NOT_FOUND || status === TOO_MANY;
}

function whyUnassigned(context: ReadContext, key: ShardKey): string | undefined {
  const [primary] = copiesOf(context.clusterState(), key);
  return primary?.unassigned?.details;
}
