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
/** For the state that tells where a copy is which its node has closed already, or for the node that does not know yet that it has the copy. */
const NEWER_STATE_MS_MAX = 2_000;
/** Until the copies that the state has are asked again; each time twice as long. */
const FIRST_PAUSE_MS = 20;

/** Throws only what is wrong with the preference. */
export async function readFromCopies<Name extends ShardOperationName>(
  context: ReadContext,
  key: ShardKey,
  preference: CopyPreference,
  name: Name,
  input: ShardOperationInput<Name>,
): Promise<CopyAnswer<ShardOperationOutput<Name>> | CopyFailure> {
  const tried = new Set<string>();
  const moves = new Moves(context, key, preference, tried);
  let failure: CopyFailure | undefined;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const copy = nextCopy(context, key, preference, tried) ?? (await moves.next(failure));
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
 * A node that lacks a copy knows a newer state than this thread, with which there is another copy, or the index is gone; or it knows an older one, and has the
 * copy soon.
 */
class Moves {
  private readonly context: ReadContext;
  private readonly key: ShardKey;
  private readonly preference: CopyPreference;
  private readonly tried: Set<string>;
  private pauseMs = FIRST_PAUSE_MS;
  private waitedMs = 0;

  constructor(context: ReadContext, key: ShardKey, preference: CopyPreference, tried: Set<string>) {
    this.context = context;
    this.key = key;
    this.preference = preference;
    this.tried = tried;
  }

  /** Waits until a copy may answer, after all were tried. Undefined where nothing comes of it. */
  async next(failure: CopyFailure | undefined): Promise<PlacedCopy | undefined> {
    const { context, key, preference, tried } = this;
    if (failure?.error.type !== 'shard_not_found_exception' || this.waitedMs >= NEWER_STATE_MS_MAX) return undefined;
    const pauseMs = Math.min(this.pauseMs, NEWER_STATE_MS_MAX - this.waitedMs);
    this.pauseMs *= 2;
    this.waitedMs += pauseMs;
    const news = await context.whenState(this.isNews(), pauseMs, context.cancellation);
    if (context.cancellation.isCancelled) return undefined;
    if (news === undefined) tried.clear();
    return nextCopy(context, key, preference, tried);
  }

  private isNews(): (state: ClusterState) => boolean {
    const { context, key, tried } = this;
    const asked = copiesOf(context.clusterState(), key).filter(isActive);
    // Others that it may not ask say nothing of a newer state.
    const isKnown = asked.some(({ allocationId }) => !tried.has(allocationId ?? ''));
    const { version } = context.clusterState();
    if (isKnown) return (state) => state.version > version;
    return (state) => {
      const copies = copiesOf(state, key);
      return copies.length === 0 || copies.some((copy) => isActive(copy) && !tried.has(copy.allocationId ?? ''));
    };
  }
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
