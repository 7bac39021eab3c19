/** Finds one node by what a user calls it. */
import { illegalArgument } from '../../base/errors.js';
import type { ClusterState, NodeRecord } from '../state.js';

/** By id, name, transport address, host or address; `_local` has no meaning here. Throws unless there is exactly one. */
export function resolveNode(state: Pick<ClusterState, 'nodes' | 'masterNodeId'>, text: string): NodeRecord {
  const byId = state.nodes.get(text === '_master' ? state.masterNodeId : text);
  if (byId !== undefined) return byId;
  const matches = [...state.nodes.values()].filter((node) =>
    [node.name, node.transportAddress, node.host, node.ip].includes(text),
  );
  const [only, another] = matches;
  if (only === undefined) throw illegalArgument(`failed to resolve [${text}], no matching nodes`);
  if (another === undefined) return only;
  throw illegalArgument(
    `failed to resolve [${text}], expected one node, but got [${matches.length}]: ${matches.map(({ name }) => name).join(', ')}`,
  );
}

export function describeNode(node: NodeRecord): string {
  return `{${node.name}}{${node.id}}{${node.ephemeralId}}{${node.host}}{${node.transportAddress}}`;
}
