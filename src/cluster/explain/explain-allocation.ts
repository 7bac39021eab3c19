/** `GET _cluster/allocation/explain`: asks the deciders what they would say now. Changes nothing. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { AllocationRound } from '../allocation/allocation-round.js';
import type { Change, ChangeEnvironment } from '../changes/change.js';
import { NO_CLUSTER_INFO } from '../disks/cluster-info.js';
import { resolveNode } from '../nodes/resolve-node.js';
import { copiesWithoutTargets } from '../copies/shard-copies.js';
import type { ClusterState, IndexMetadata, NodeRecord, ShardCopy, UnassignedInfo } from '../state.js';
import { ranking } from '../allocation/weights.js';
import { explainAssigned } from './explain-assigned.js';
import { explainUnassigned, outcomeOfStatus } from './explain-unassigned.js';
import { renderClusterInfo } from './cluster-info.js';
import { renderNode } from './node-result.js';

export interface ExplainAllocationInput {
  /** Some unassigned copy where absent. */
  readonly copy?: {
    readonly index: string;
    readonly shard: number;
    readonly primary: boolean;
    /** Id, name or address of the node whose copy is meant. */
    readonly currentNode?: string;
  };
  readonly includeYesDecisions: boolean;
  readonly includeDiskInfo: boolean;
}

const NOTE =
  'No shard was specified in the explain API request, so this response explains a randomly chosen unassigned shard. There ' +
  'may be other unassigned shards in this cluster which cannot be assigned for different reasons. It may not be possible to ' +
  'assign this shard until one of the other shards is assigned correctly. To explain the allocation of other shards (whether ' +
  'assigned or unassigned) you must specify the target shard in the request to this API.';

export function explainAllocation(
  state: ClusterState,
  input: ExplainAllocationInput,
  environment: ChangeEnvironment,
): Change<JsonObject> {
  const { index, copy } = input.copy === undefined ? anyUnassigned(state, input) : namedCopy(state, input.copy, input);
  const round = new AllocationRound(state, environment, { explains: true });
  const node = copy.nodeId === null ? undefined : state.nodes.get(copy.nodeId);
  const info = environment.clusterInfo ?? NO_CLUSTER_INFO;
  const result: JsonObject = {
    ...(input.copy === undefined ? { note: NOTE } : {}),
    index: index.name,
    shard: copy.shard,
    primary: copy.primary,
    current_state: copy.state.toLowerCase(),
    ...(copy.unassigned === null ? {} : { unassigned_info: renderUnassignedInfo(copy.unassigned) }),
    ...(node === undefined ? {} : { current_node: renderCurrentNode(round, index, copy, node) }),
    ...(input.includeDiskInfo ? { cluster_info: renderClusterInfo(state, info) } : {}),
    ...explanation(round, index, copy, node, input.includeYesDecisions),
  };
  return { state, result };
}

function explanation(
  round: AllocationRound,
  index: IndexMetadata,
  copy: ShardCopy,
  node: NodeRecord | undefined,
  includeYes: boolean,
): JsonObject {
  const question = round.question(index, copy);
  const load = round.node(copy.nodeId);
  if (copy.state === 'UNASSIGNED') return explainUnassigned(question, includeYes);
  if (copy.state === 'STARTED' && load !== undefined) return explainAssigned(question, load, includeYes);
  const here = node?.name ?? copy.nodeId;
  if (copy.state === 'RELOCATING') {
    const target = round.state.nodes.get(copy.relocatingNodeId ?? '')?.name ?? copy.relocatingNodeId;
    const reason = `the shard is in the process of relocating from node [${here}] to node [${target}]`;
    return { explanation: `${reason}, wait until relocation has completed` };
  }
  const reason = `the shard is in the process of initializing on node [${here}]`;
  return { explanation: `${reason}, wait until initialization has completed` };
}

interface Named {
  readonly index: IndexMetadata;
  readonly copy: ShardCopy;
}

/** Primaries first. */
function anyUnassigned(state: ClusterState, input: ExplainAllocationInput): Named {
  for (const primary of [true, false]) {
    for (const [name, { shards }] of state.routing) {
      const index = state.indices.get(name);
      const copy = shards.flat().find((each) => each.state === 'UNASSIGNED' && each.primary === primary);
      if (index !== undefined && copy !== undefined) return { index, copy };
    }
  }
  throw illegalArgument(`unable to find any unassigned shards to explain [${describeRequest(input)}]`);
}

function namedCopy(
  state: ClusterState,
  wanted: NonNullable<ExplainAllocationInput['copy']>,
  input: ExplainAllocationInput,
): Named {
  const index = state.indices.get(wanted.index);
  if (index === undefined) {
    throw new QuarryError('index_not_found_exception', `no such index [${wanted.index}]`, {
      details: { index: wanted.index },
    });
  }
  const copies = state.routing.get(index.name)?.shards[wanted.shard];
  if (copies === undefined) {
    const details = { index_uuid: index.uuid, shard: String(wanted.shard), index: index.name };
    throw new QuarryError('shard_not_found_exception', 'no such shard', { details });
  }
  const fits = copies.filter((copy) => copy.primary === wanted.primary);
  const { currentNode } = wanted;
  const copy = currentNode === undefined ? mostWanting(fits) : copyOn(state, fits, wanted.primary, currentNode);
  if (copy !== undefined) return { index, copy };
  throw illegalArgument(`unable to find any shards to explain [${describeRequest(input)}] in the routing table`);
}

/** Among replicas one that has no place is asked about most. */
function mostWanting(copies: readonly ShardCopy[]): ShardCopy | undefined {
  const inState = (wanted: ShardCopy['state']): ShardCopy | undefined => copies.find(({ state }) => state === wanted);
  return inState('UNASSIGNED') ?? inState('STARTED') ?? copiesWithoutTargets(copies)[0];
}

function copyOn(state: ClusterState, copies: readonly ShardCopy[], primary: boolean, node: string): ShardCopy {
  const { id } = resolveNode(state, node);
  const here = copies.filter(({ nodeId }) => nodeId === id);
  const copy = copiesWithoutTargets(here)[0] ?? here[0];
  if (copy !== undefined) return copy;
  throw illegalArgument(`unable to find ${primary ? 'primary' : 'a replica'} shard assigned to node [${node}]`);
}

function describeRequest({ copy, includeYesDecisions }: ExplainAllocationInput): string {
  const what =
    copy === undefined
      ? 'useAnyUnassignedShard=true'
      : `index=${copy.index},shard=${copy.shard},primary?=${copy.primary}${
          copy.currentNode === undefined ? '' : `,currentNode=${copy.currentNode}`
        }`;
  return `ClusterAllocationExplainRequest[${what},includeYesDecisions?=${includeYesDecisions}`;
}

function renderUnassignedInfo(info: UnassignedInfo): JsonObject {
  return {
    reason: info.reason,
    at: new Date(info.atMs).toISOString(),
    ...(info.failedAllocations === 0 ? {} : { failed_allocation_attempts: info.failedAllocations }),
    ...(info.details === undefined ? {} : { details: info.details }),
    last_allocation_status: outcomeOfStatus(info.lastAllocationStatus),
  };
}

function renderCurrentNode(
  round: AllocationRound,
  index: IndexMetadata,
  copy: ShardCopy,
  node: NodeRecord,
): JsonObject {
  const rank = copy.state === 'STARTED' ? ranking(round, index).get(node.id) : undefined;
  // Of the node that holds the copy the references tell attributes also where there are none.
  return { ...renderNode(node), attributes: node.attributes, ...(rank === undefined ? {} : { weight_ranking: rank }) };
}
