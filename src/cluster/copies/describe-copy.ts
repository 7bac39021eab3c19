/** Copies and their misfortunes in one line, as the API's sentences print them. */
import { recoverySourceOf } from './shard-copies.js';
import type { IndexMetadata, ShardCopy, UnassignedInfo } from '../state.js';

export function describeCopy(index: IndexMetadata, copy: ShardCopy): string {
  const parts = [`[${index.name}][${copy.shard}]`, `node[${copy.nodeId}]`];
  if (copy.relocatingNodeId !== null) parts.push(`relocating [${copy.relocatingNodeId}]`);
  parts.push(copy.primary ? '[P]' : '[R]');
  if (copy.unassigned !== null) {
    parts.push(`recovery_source[${recoverySourceOf(index, copy).toLowerCase().replace('_', ' ')} recovery]`);
  }
  parts.push(`s[${copy.state}]`);
  if (copy.allocationId !== null) parts.push(`a[id=${copy.allocationId}]`);
  if (copy.unassigned !== null) parts.push(describeUnassigned(copy.unassigned));
  return parts.join(', ');
}

export function describeUnassigned(info: UnassignedInfo): string {
  const parts = [`[reason=${info.reason}]`, `at[${new Date(info.atMs).toISOString()}]`];
  if (info.failedAllocations > 0) parts.push(`failed_attempts[${info.failedAllocations}]`);
  if (info.failedNodeIds.length > 0) parts.push(`failed_nodes[[${info.failedNodeIds.join(', ')}]]`);
  parts.push(`delayed=${info.delayed}`);
  if (info.lastNodeId !== null) parts.push(`last_node[${info.lastNodeId}]`);
  if (info.details !== undefined) parts.push(`details[${info.details}]`);
  parts.push(`allocation_status[${info.lastAllocationStatus}]`);
  return `unassigned_info[${parts.join(', ')}]`;
}
