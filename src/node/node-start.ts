/** How a node comes up once its threads run: it opens its ports, tells all threads who it is, and joins its cluster. */
import { networkInterfaces } from 'node:os';
import type { NodeIdentity } from '../actions/context.js';
import { systemClock } from '../base/clock.js';
import type { NodeSettings } from '../base/node-settings.js';
import { newUuid, systemRandom } from '../base/random.js';
import { tlsSettings } from '../base/tls-settings.js';
import { formatBytes } from '../base/units.js';
import { COORDINATOR, FRONT } from '../workers/wires.js';
import { publishedAddresses, type PublishedAddresses } from './addresses.js';
import type { FirstFront } from './front/first-front.js';
import type { PendingLog } from './logging/log-sink.js';
import { keptNodeId, nodeRecord } from './node-identity.js';
import type { NodeKeystore } from './node-keystore.js';
import type { NodeThreads } from './node-threads.js';
import type { NodePaths } from './paths.js';
import type { JoinMessage } from './thread-messages.js';
import type { ThreadStarts } from './thread-starts.js';
import { softwareVersion } from './version.js';

/** A node whose threads run, and wait for their lines. */
export interface NodeParts {
  readonly settings: NodeSettings;
  readonly keystore: NodeKeystore;
  readonly paths: NodePaths;
  readonly log: PendingLog;
  readonly starts: ThreadStarts;
  readonly threads: NodeThreads;
  readonly front: FirstFront;
}

/** A node that listens; nobody knows it yet. */
interface ListeningNode {
  readonly node: NodeIdentity;
  readonly addresses: PublishedAddresses;
}

/** A node that does not find its cluster by then answers requests all the same. */
const JOIN_WAIT_MS_MAX = 30_000;

/** Resolves when the node answers requests. `bootstrapPassword`: see `FrontSecurity.bootstrap`. */
export async function bringUp(
  parts: NodeParts,
  name: string,
  bootstrapPassword: string | undefined,
): Promise<ListeningNode> {
  const { settings, threads, front } = parts;
  const listening = await listen(parts, name);
  const { node, addresses } = listening;
  await threads.pool.wireAll(node);
  const { openSharedCache } = await import('./shared-cache.js');
  const sharedCacheBytes = await openSharedCache(settings, node.dataPath);
  const capacity = { workerSlots: threads.pool.workerCount, sharedCacheBytes };
  const joining: JoinMessage = { kind: 'join', node: nodeRecord(node, settings, addresses, capacity) };
  const joined = Promise.resolve(threads.lines.get(COORDINATOR)?.call(joining));
  // Without a cluster the node answers nevertheless: that it has none.
  await Promise.race([
    front.security?.bootstrap(bootstrapPassword, joined) ?? joined,
    new Promise((resolve) => systemClock.schedule(JOIN_WAIT_MS_MAX, () => resolve(undefined))),
  ]);
  front.begin();
  await threads.sideFronts?.begin(
    (side) => threads.connectWithCoordinator(side),
    () => front.security?.isBootstrapping ?? false,
  );
  return listening;
}

/** Opens the ports, by which it is known who the node is; the fronts are told. */
async function listen(
  { settings, keystore, paths, starts, threads, front }: NodeParts,
  name: string,
): Promise<ListeningNode> {
  const startedAtMs = systemClock.nowMs();
  await threads.connectWithCoordinator(FRONT);
  const [id, routes] = await Promise.all([keptNodeId(paths.nodeId), threads.routes(), front.secure()]);
  const version = softwareVersion();
  const tls = tlsSettings(settings.values, 'http', keystore);
  const ephemeralId = newUuid(systemRandom);
  const { listener, transportPort } = await front.open({ nodeId: id, ephemeralId, name, version }, routes, tls);
  const ports = { http: listener.port, transport: transportPort };
  const addresses = publishedAddresses(settings, ports, networkInterfaces());
  const node: NodeIdentity = {
    id,
    name,
    version,
    ephemeralId,
    startedAtMs,
    httpAddress: addresses.http,
    transportAddress: addresses.transport,
    dataPath: paths.data,
    indexingBufferBytes: starts.worker.indexingBudgetBytes,
  };
  front.introduce(node, addresses);
  threads.sideFronts?.start(listener.ring, { words: starts.fronts, start: starts.worker, routes, tls, node });
  return { node, addresses };
}

/** Tells the log of the node as it runs now, and of what it should not be. `openAddresses`: see `StartedNode`. */
export function logStarted(
  { settings, log, threads, front }: NodeParts,
  { node, addresses }: ListeningNode,
  openAddresses: readonly string[],
): void {
  const { budgetBytes, ignoredOptions } = settings.memory;
  front.security?.warnWithoutPassword();
  log.log('info', 'started', {
    version: node.version,
    address: addresses.http,
    transport: addresses.transport,
    workers: threads.pool.workerCount,
    memory: formatBytes(budgetBytes),
  });
  if (ignoredOptions.length > 0) {
    log.log('warn', 'options of a Java machine have no effect here', { options: ignoredOptions.join(' ') });
  }
  if (openAddresses.length > 0) {
    const consequence = 'whoever reaches them can read, change and delete everything';
    log.log('warn', 'the node has no security', { addresses: openAddresses.join(', '), consequence });
  }
}
