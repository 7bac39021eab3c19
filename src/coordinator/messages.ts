/** What the coordinators of two nodes say to each other. Everything is plain data; what comes in is checked here. */
import { QuarryError } from '../base/errors.js';
import type { NodeRecord } from '../cluster/state.js';
import { COMMANDS, type CommandName } from './commands.js';

export type CoordinatorAction = 'raft' | 'submit' | 'join' | 'leave' | 'when-applied' | 'pending-tasks';

/** A message of the group, and where its sender is. */
export interface RaftEnvelope {
  readonly from: string;
  readonly nodeId: string;
  readonly address: string;
  /** As the sender knows it; empty before the first state. */
  readonly clusterUuid: string;
  readonly message: Uint8Array;
}

export interface RemoteCommand {
  readonly name: CommandName;
  readonly input: unknown;
  readonly timeoutMs: number;
}

export interface JoinRequest {
  readonly node: NodeRecord;
  readonly clusterName: string;
  /** Of the cluster that the node belonged to before; null for a fresh node. */
  readonly clusterUuid: string | null;
}

export interface LeaveRequest {
  readonly nodeId: string;
  readonly ephemeralId: string;
}

export interface WhenApplied {
  readonly version: number;
}

export function readEnvelope(message: unknown): RaftEnvelope {
  const { from, nodeId, address, clusterUuid, message: bytes } = members(message);
  if (areTexts(from, nodeId, address, clusterUuid) && bytes instanceof Uint8Array) return message as RaftEnvelope;
  throw unreadable('raft');
}

export function readCommand(message: unknown): RemoteCommand {
  const { name, timeoutMs } = members(message);
  if (typeof name === 'string' && Object.hasOwn(COMMANDS, name) && typeof timeoutMs === 'number') {
    return message as RemoteCommand;
  }
  throw unreadable('submit');
}

export function readJoin(message: unknown): JoinRequest {
  const { node, clusterName, clusterUuid } = members(message);
  const isUuid = clusterUuid === null || typeof clusterUuid === 'string';
  if (isNodeRecord(node) && typeof clusterName === 'string' && isUuid) return message as JoinRequest;
  throw unreadable('join');
}

export function readLeave(message: unknown): LeaveRequest {
  const { nodeId, ephemeralId } = members(message);
  if (areTexts(nodeId, ephemeralId)) return message as LeaveRequest;
  throw unreadable('leave');
}

export function readWhenApplied(message: unknown): WhenApplied {
  if (Number.isSafeInteger(members(message)['version'])) return message as WhenApplied;
  throw unreadable('when-applied');
}

function isNodeRecord(value: unknown): boolean {
  const node = members(value) as Partial<Record<keyof NodeRecord, unknown>>;
  const { id, ephemeralId, raftId, name, host, ip, httpAddress, transportAddress, version } = node;
  return (
    areTexts(id, ephemeralId, raftId, name, host, ip, httpAddress, transportAddress, version) &&
    Array.isArray(node.roles) &&
    node.roles.every((role) => typeof role === 'string') &&
    Object.values(members(node.attributes)).every((attribute) => typeof attribute === 'string') &&
    Number.isSafeInteger(node.workerSlots) &&
    (node.sharedCacheBytes === undefined || Number.isSafeInteger(node.sharedCacheBytes))
  );
}

function areTexts(...values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'string');
}

function members(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function unreadable(action: CoordinatorAction): QuarryError {
  return new QuarryError('transport_serialization_exception', `the message [${action}] of another node cannot be read`);
}
