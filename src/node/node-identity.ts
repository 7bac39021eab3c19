/** Who a node is: its id, which it keeps, and what it tells others of itself. */
import type { NodeIdentity } from '../actions/context.js';
import type { NodeSettings } from '../base/node-settings.js';
import { newUuid, systemRandom } from '../base/random.js';
import { readChecked, writeChecked } from '../store/files.js';
import type { PublishedAddresses } from './addresses.js';
import type { JoinMessage } from './thread-messages.js';

/** The id that lies in the file, or a new one, which is written there. */
export async function keptNodeId(file: string): Promise<string> {
  const known = await readChecked(file);
  if (known !== undefined) return known;
  const id = newUuid(systemRandom);
  await writeChecked(file, id);
  return id;
}

/** What the cluster is told of the node. */
export function nodeRecord(
  node: NodeIdentity,
  { values, attributes }: NodeSettings,
  { host, ip }: PublishedAddresses,
  capacity: Pick<JoinMessage['node'], 'workerSlots' | 'sharedCacheBytes'>,
): JoinMessage['node'] {
  const { id, ephemeralId, name, httpAddress, transportAddress, version } = node;
  const roles = values['node.roles'];
  return {
    ...{ id, ephemeralId, name, host, ip, httpAddress, transportAddress, version },
    ...{ roles, attributes, ...capacity },
  };
}
