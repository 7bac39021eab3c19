/** A node as the command that starts it has it: its directories, its lock and its log, around the threads that do the work. */
import { hostname } from 'node:os';
import type { NodeIdentity } from '../actions/context.js';
import { useMemoryBudget } from '../base/memory.js';
import type { NodeSettings } from '../base/node-settings.js';
import { countOfThread, FRONT_THREAD } from '../base/thread-words.js';
import { lockDataDirectory, type DataLock } from '../store/data-lock.js';
import { makeDirectory } from '../store/files.js';
import type { TransportSecurity } from '../transport/security.js';
import { firstPassword } from './first-password.js';
import { FirstFront } from './front/first-front.js';
import type { SideFronts } from './front/side-fronts.js';
import { configuredLevels } from './logging/log-level.js';
import { PendingLog } from './logging/log-sink.js';
import type { NodeKeystore } from './node-keystore.js';
import { bringUp, logStarted, type NodeParts } from './node-start.js';
import { abandon, bringDown } from './node-stop.js';
import { NodeThreads } from './node-threads.js';
import { nodePaths, type NodePaths } from './paths.js';
import { threadStarts } from './thread-starts.js';
import { openHostsOf, transportSecurity } from './transport-security.js';
import { softwareVersion } from './version.js';
import { refuseDowngrade } from './version-stamp.js';

export interface StartedNode {
  readonly node: NodeIdentity;
  /** Drains, flushes, closes; the process may exit with 0 afterwards. `onWait` is told what takes its time. */
  stop(onWait?: (what: string) => void): Promise<void>;
  /** Addresses that others than this machine may reach, though the node asks nobody who they are. */
  readonly openAddresses: readonly string[];
}

/** Resolves when the node answers requests; `onFatal` is called when it cannot go on. `bootstrapPassword`: see `FrontSecurity.bootstrap`. */
export async function startNode(
  settings: NodeSettings,
  keystore: NodeKeystore,
  onFatal: (reason: string) => void,
  bootstrapPassword?: string,
): Promise<StartedNode> {
  const links = await transportSecurity(settings, keystore, process.env);
  const openHosts = await openHostsOf(settings, links);
  const password = await firstPassword(settings, keystore, bootstrapPassword);
  const paths = nodePaths(settings.values['path.data'], settings.values['path.logs']);
  for (const directory of [paths.data, paths.logs, paths.indices]) makeDirectory(directory);
  const lock = await lockForThisVersion(paths);
  const name = settings.values['node.name'] ?? hostname();
  const log = new PendingLog();
  // The threads start before the log is open: loading its library takes as long as they do.
  const hasSides = settings.values['http.front_threads'] > 1;
  const Sides = hasSides ? (await import('./front/side-fronts.js')).SideFronts : undefined;
  const parts = startThreads({ settings, keystore, paths, log }, links, onFatal, Sides);
  try {
    await openLog(log, settings, paths, name);
    const listening = await bringUp(parts, name, password);
    const { node, addresses } = listening;
    const openAddresses = openHosts.map((setting) => (setting === 'http.host' ? addresses.http : addresses.transport));
    logStarted(parts, listening, openAddresses);
    return { node, openAddresses, stop: (onWait) => stopNode(parts, lock, onWait) };
  } catch (error) {
    log.log('error', 'the node did not start', { reason: String(error) });
    await abandon(parts);
    await log.close();
    lock.release();
    throw error;
  }
}

async function lockForThisVersion({ data, softwareVersion: stamp }: NodePaths): Promise<DataLock> {
  const lock = lockDataDirectory(data);
  try {
    await refuseDowngrade(stamp, softwareVersion());
    return lock;
  } catch (error) {
    lock.release();
    throw error;
  }
}

function startThreads(
  node: Pick<NodeParts, 'settings' | 'keystore' | 'paths' | 'log'>,
  links: TransportSecurity,
  onFatal: (reason: string) => void,
  Sides: typeof SideFronts | undefined,
): NodeParts {
  const { settings, keystore, paths, log } = node;
  useMemoryBudget(settings.memory.budgetBytes);
  const starts = threadStarts(settings, keystore, links, paths);
  countOfThread(starts.worker.threadWords, FRONT_THREAD);
  const threads: NodeThreads = new NodeThreads({
    settings,
    starts,
    logger: log,
    Sides,
    receive: (peer, message) => front.receive(peer, message),
    // What a worker that crashed had under way is lost.
    onLine: (peer, line) => void front.tasks.lose(peer, line, log),
    onFatal,
  });
  const { lines, sideFronts } = threads;
  const anyWorker = (): string | undefined => threads.anyWorker();
  const front: FirstFront = new FirstFront({
    settings,
    keystore,
    links,
    logsPath: paths.logs,
    log,
    starts,
    lines,
    sideFronts,
    anyWorker,
  });
  return { ...node, starts, threads, front };
}

async function openLog(log: PendingLog, settings: NodeSettings, { logs }: NodePaths, nodeName: string): Promise<void> {
  const { values } = settings;
  await log.open({
    directory: logs,
    levels: configuredLevels(settings),
    format: values['logger.format'],
    nodeName,
    fileBytesMax: Math.min(values['logger.file_size'], values['logger.total_size']),
    fileCountMax: values['logger.file_count'],
    totalBytesMax: values['logger.total_size'],
  });
}

async function stopNode(parts: NodeParts, lock: DataLock, onWait?: (what: string) => void): Promise<void> {
  if (!parts.threads.expectEnd()) return;
  await bringDown(parts, onWait);
  await parts.log.close();
  lock.release();
}
