/** One command of a reroute, carried out in a round of allocation that ignores what disables allocation. */
import { illegalArgument, QuarryError } from '../../../base/errors.js';
import type { AllocationRound } from '../../allocation/allocation-round.js';
import type { NodeLoad } from '../../allocation/node-load.js';
import { storeOn } from '../../allocation/shard-stores.js';
import { explainAllocate, worst } from '../../deciders/all.js';
import type { Decision } from '../../deciders/decider.js';
import { holdsData } from '../../nodes/data-nodes.js';
import type { RerouteCommand } from '../../allocation/reroute-command.js';
import { describeNode, resolveNode } from '../../nodes/resolve-node.js';
import {
  isActive,
  isRelocationTarget,
  neverStarted,
  primaryOf,
  recoverySourceOf,
  unassignedInfo,
} from '../../copies/shard-copies.js';
import type { IndexMetadata, NodeRecord, ShardCopy } from '../../state.js';
import { failCopies } from './fail-copy.js';
import { FORCED_ALLOCATION_ID, putInSync, raisePrimaryTerm, removeInSync } from './in-sync.js';

type CommandOf<Kind extends RerouteCommand['kind']> = Extract<RerouteCommand, { readonly kind: Kind }>;
type PrimaryCommand = CommandOf<'allocate_stale_primary' | 'allocate_empty_primary'>;

/** A command that cannot be carried out; its sentence is an error, or the explanation where one is asked for. */
export class RefusedCommand extends QuarryError {
  readonly decisions: readonly Decision[];

  constructor(command: RerouteCommand, reason: string, decisions?: readonly Decision[]) {
    const { place, decider } = NAMES[command.kind];
    super('illegal_argument_exception', `[${place}] ${reason}`);
    this.decisions = decisions ?? [{ decider, verdict: 'NO', explanation: reason }];
  }
}

const NAMES: Readonly<Record<RerouteCommand['kind'], { readonly place: string; readonly decider: string }>> = {
  move: { place: 'move_allocation', decider: 'move_allocation_command' },
  cancel: { place: 'cancel_allocation', decider: 'cancel_allocation_command' },
  allocate_replica: { place: 'allocate_replica', decider: 'allocate_replica (allocation command)' },
  allocate_stale_primary: { place: 'allocate_stale_primary', decider: 'allocate_stale_primary (allocation command)' },
  allocate_empty_primary: { place: 'allocate_empty_primary', decider: 'allocate_empty_primary (allocation command)' },
};

/** What the deciders said. Throws {@link RefusedCommand}, or an error where an index or a node is unknown. */
export function carryOut(round: AllocationRound, command: RerouteCommand): readonly Decision[] {
  switch (command.kind) {
    case 'move':
      return move(round, command);
    case 'cancel':
      return cancel(round, command);
    case 'allocate_replica':
      return allocateReplica(round, command);
    case 'allocate_stale_primary':
    case 'allocate_empty_primary':
      return allocatePrimary(round, command);
  }
}

function move(round: AllocationRound, command: CommandOf<'move'>): readonly Decision[] {
  const from = resolveNode(round.state, command.fromNode);
  const to = resolveNode(round.state, command.toNode);
  const { shard } = command;
  const between = `from ${describeNode(from)}, to ${describeNode(to)}`;
  for (const node of [from, to]) {
    if (holdsData(node)) continue;
    const reason = `can't move [${command.index}][${shard}] ${between}: source [${node.name}] is not a data node.`;
    throw new RefusedCommand(command, reason);
  }
  const copy = round.copies(command.index, shard).find(({ nodeId }) => nodeId === from.id);
  if (copy === undefined) {
    throw new RefusedCommand(command, `can't move ${shard}, failed to find it on node ${describeNode(from)}`);
  }
  if (copy.state !== 'STARTED') {
    throw new RefusedCommand(command, `can't move ${shard}, shard is not started (state = ${copy.state}]`);
  }
  const index = openIndex(round, command.index);
  const target = dataNode(round, command, to);
  const decisions = explainAllocate(round.question(index, copy), target);
  if (worst(decisions) === 'NO') {
    const reason = `can't move ${shard}, ${between}, since its not allowed, reason: ${reasonsOf(decisions)}`;
    throw new RefusedCommand(command, reason, decisions);
  }
  // Throttling is for what happens by itself: here somebody insists.
  round.relocate(index, copy, target);
  return decisions;
}

function cancel(round: AllocationRound, command: CommandOf<'cancel'>): readonly Decision[] {
  const node = resolveNode(round.state, command.node);
  const { shard } = command;
  const index = openIndex(round, command.index);
  const copy = round.copies(index.name, shard).find(({ nodeId }) => nodeId === node.id);
  if (copy === undefined) {
    throw new RefusedCommand(command, `can't cancel ${shard}, failed to find it on node ${describeNode(node)}`);
  }
  if (copy.primary && !command.allowPrimary && !isRelocationTarget(copy)) {
    const state = copy.state.toLowerCase();
    const reason = `can't cancel ${shard} on node ${describeNode(node)}, shard is primary and ${state}`;
    throw new RefusedCommand(command, reason);
  }
  const info = unassignedInfo('REROUTE_CANCELLED', round.nowMs, copy);
  failCopies(round.draft, index.name, shard, [{ copy, info }]);
  // Somebody wants it gone.
  removeInSync(round.draft, index.name, shard, copy.allocationId);
  const explanation = `shard ${shard} on node ${describeNode(node)} can be cancelled`;
  return [{ decider: NAMES.cancel.decider, verdict: 'YES', explanation }];
}

function allocateReplica(round: AllocationRound, command: CommandOf<'allocate_replica'>): readonly Decision[] {
  const record = resolveNode(round.state, command.node);
  const { index, copies } = shardOf(round, command);
  const target = dataNode(round, command, record);
  const where = `[${index.name}][${command.shard}]`;
  const primary = primaryOf(copies);
  if (primary === undefined || !isActive(primary)) {
    const reason = `trying to allocate a replica shard ${where}, while corresponding primary shard is still unassigned`;
    throw new RefusedCommand(command, reason);
  }
  const replica = copies.find((copy) => !copy.primary && copy.state === 'UNASSIGNED');
  if (replica === undefined) {
    const reason = `all copies of ${where} are already assigned. Use the move allocation command instead`;
    throw new RefusedCommand(command, reason);
  }
  const decisions = explainAllocate(round.question(index, replica), target);
  if (worst(decisions) === 'NO') {
    const reason = `allocation of ${where} on node ${describeNode(record)} is not allowed, reason: ${reasonsOf(decisions)}`;
    throw new RefusedCommand(command, reason, decisions);
  }
  round.assign(index, replica, target);
  return decisions;
}

/** By force: what the primary does not hold is lost, so the user has to say that he knows. */
function allocatePrimary(round: AllocationRound, command: PrimaryCommand): readonly Decision[] {
  const record = resolveNode(round.state, command.node);
  const { index, copies } = shardOf(round, command);
  const target = dataNode(round, command, record);
  const where = `[${index.name}][${command.shard}]`;
  const isEmpty = command.kind === 'allocate_empty_primary';
  const primary = primaryOf(copies);
  if (primary?.state !== 'UNASSIGNED') throw new RefusedCommand(command, `primary ${where} is already assigned`);
  const isNew = neverStarted(index, command.shard);
  const beginsEmpty = recoverySourceOf(index, primary) === 'EMPTY_STORE';
  if (!command.acceptDataLoss && !(isEmpty && beginsEmpty)) {
    const kind = isEmpty ? 'an empty' : 'a stale';
    throw new RefusedCommand(
      command,
      `allocating ${kind} primary for ${where} can result in data loss. Please confirm by setting the accept_data_loss ` +
        'parameter to true',
    );
  }
  if (!isEmpty && isNew) {
    const reason = `trying to allocate an existing primary shard ${where}, while no such shard has ever been active`;
    throw new RefusedCommand(command, reason);
  }
  if (!isEmpty && storeOn(round.question(index, primary), target) === null) {
    const reason = `No data for shard [${command.shard}] of index [${index.name}] found on node [${command.node}]`;
    throw new RefusedCommand(command, reason);
  }
  putInSync(round.draft, index.name, command.shard, isEmpty ? [] : [FORCED_ALLOCATION_ID]);
  raisePrimaryTerm(round.draft, index.name, command.shard);
  const copy = isEmpty && !beginsEmpty ? withForcedReason(round, index, primary, command.node) : primary;
  round.assign(index, copy, target);
  const explanation = `primary ${where} is allocated to node ${describeNode(record)}`;
  return [{ decider: NAMES[command.kind].decider, verdict: 'YES', explanation }];
}

/** The primary as it is in the round after its new reason was noted. */
function withForcedReason(round: AllocationRound, index: IndexMetadata, primary: ShardCopy, node: string): ShardCopy {
  const former = primary.unassigned?.details ?? primary.unassigned?.reason ?? 'unknown reason';
  const unassigned = {
    ...unassignedInfo('FORCED_EMPTY_PRIMARY', round.nowMs, primary),
    failedAllocations: primary.unassigned?.failedAllocations ?? 0,
    details: `force empty allocation from previous reason ${former} to [${node}]`,
  };
  const forced = { ...primary, unassigned };
  round.draft.replaceCopy(index.name, primary, forced);
  return forced;
}

function shardOf(
  round: AllocationRound,
  command: Exclude<RerouteCommand, { kind: 'move' | 'cancel' }>,
): { readonly index: IndexMetadata; readonly copies: readonly ShardCopy[] } {
  const index = openIndex(round, command.index);
  const copies = round.copies(index.name, command.shard);
  if (copies.length > 0) return { index, copies };
  const details = { index_uuid: index.uuid, shard: String(command.shard), index: index.name };
  throw new QuarryError('shard_not_found_exception', 'no such shard', { details });
}

function openIndex(round: AllocationRound, name: string): IndexMetadata {
  const index = round.draft.index(name);
  if (index?.state === 'open') return index;
  if (index !== undefined) throw illegalArgument(`the shards of the closed index [${name}] keep their places`);
  throw new QuarryError('index_not_found_exception', `no such index [${name}]`, { details: { index: name } });
}

function dataNode(round: AllocationRound, command: RerouteCommand, node: NodeRecord): NodeLoad {
  const load = round.node(node.id);
  if (load !== undefined) return load;
  throw new RefusedCommand(command, `allocation can only be done on data nodes, not [${node.name}]`);
}

/** `[NO(sentence)][YES(sentence)]...` */
function reasonsOf(decisions: readonly Decision[]): string {
  return decisions.map(({ verdict, explanation }) => `[${verdict}(${explanation})]`).join('');
}
