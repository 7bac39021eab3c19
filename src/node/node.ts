/** Starts and stops a node: the lock, the log, the threads, the front. */
import { availableParallelism, hostname, networkInterfaces } from 'node:os';
import type { NodeIdentity } from '../actions/context.js';
import type { FrontFigures } from '../actions/front-figures.js';
import { must } from '../base/assert.js';
import { systemClock } from '../base/clock.js';
import { breakerWords, BreakerWords } from '../base/breakers.js';
import { bytesOrShare, useMemoryBudget } from '../base/memory.js';
import type { NodeSettings } from '../base/node-settings.js';
import { newUuid, systemRandom } from '../base/random.js';
import { threadFigures } from '../base/thread-figures.js';
import { countOfThread, FRONT_THREAD, threadWords, type ThreadWords } from '../base/thread-words.js';
import { tlsSettings } from '../base/tls-settings.js';
import { whenAllSettled } from '../base/when-all-settled.js';
import { formatBytes } from '../base/units.js';
import { StateHolder } from '../coordinator/state-holder.js';
import type { WireRoute } from '../rest/wire.js';
import { indexingBudget, reliefCount, sharedMemoryWords } from '../shard/indexing-memory.js';
import { lockDataDirectory, type DataLock } from '../store/data-lock.js';
import { makeDirectory } from '../store/files.js';
import { openListener } from '../transport/app-listener.js';
import { ClientTraffic, trafficWords } from '../transport/client-traffic.js';
import type { TransportSecurity } from '../transport/security.js';
import { Mailbox, type Line, type MailOrder } from '../workers/mailbox.js';
import { MessageTurns } from '../workers/message-turns.js';
import { WorkerPool } from '../workers/pool.js';
import { newChannel, startThread, type ServiceThread } from '../workers/threads.js';
import { COORDINATOR, FRONT, frontNames, workerName, type Wire } from '../workers/wires.js';
import { WorkerSlots, slotWords } from '../workers/worker-slots.js';
import { publishedAddresses } from './addresses.js';
import { FrontBreakers } from './front/front-breakers.js';
import type { FrontSecurity } from './front/front-security.js';
import { loadSecurity } from './front/load-security.js';
import { httpFigures, servedBy, transportTraffic, type HttpFigures } from './front/figures.js';
import { FrontTasks } from './front/front-tasks.js';
import { configuredLevels, logLevels } from './logging/log-level.js';
import { PendingLog } from './logging/log-sink.js';
import { unpackPublication } from './packed-publication.js';
import { countNativeTrips } from './native-trips.js';
import { keptNodeId, nodeRecord } from './node-identity.js';
import type { NodeKeystore } from './node-keystore.js';
import { nodePaths, type NodePaths } from './paths.js';
import { freshnessWord, isFresh } from './freshness.js';
import { configureSearchThreads, searchThreadFigures } from './search-threads.js';
import { RequestFront, frontWords, type FrontWords } from './front/request-front.js';
import type { SideFronts } from './front/side-fronts.js';
import type {
  CoordinatorOrder,
  CoordinatorStart,
  FrontMessage,
  JoinMessage,
  LeaveMessage,
  PublishMessage,
  SecurityQuestion,
  WorkerStart,
  WorkerTask,
} from './thread-messages.js';
import { noSuchTarget, TransportFront, type TransportFrontOptions } from './front/transport-front.js';
import { openHostsOf, transportSecurity, type OpenHosts } from './transport-security.js';
import { softwareVersion } from './version.js';
import { refuseDowngrade } from './version-stamp.js';
import { wordsOfWorkers } from './words-of-workers.js';

export interface StartedNode {
  readonly node: NodeIdentity;
  /** Drains, flushes, closes; the process may exit with 0 afterwards. `onWait` is told what takes its time. */
  stop(onWait?: (what: string) => void): Promise<void>;
  /** Addresses that others than this machine may reach, though the node asks nobody who they are. */
  readonly openAddresses: readonly string[];
}

/** Resolves when the node answers requests; `onFatal` is called when it cannot go on. `bootstrapPassword`: see {@link FrontSecurity}. */
export async function startNode(
  settings: NodeSettings,
  keystore: NodeKeystore,
  onFatal: (reason: string) => void,
  bootstrapPassword?: string,
): Promise<StartedNode> {
  const links = await transportSecurity(settings, keystore, process.env);
  const openHosts = await openHostsOf(settings, links);
  const paths = nodePaths(settings.values['path.data'], settings.values['path.logs']);
  for (const directory of [paths.data, paths.logs, paths.indices]) makeDirectory(directory);
  const lock = lockDataDirectory(paths.data);
  try {
    await refuseDowngrade(paths.softwareVersion, softwareVersion());
  } catch (error) {
    lock.release();
    throw error;
  }
  const name = settings.values['node.name'] ?? hostname();
  const log = new PendingLog();
  // The threads start before the log is open: loading its library takes as long as they do.
  const hasSides = settings.values['http.front_threads'] > 1;
  const Sides = hasSides ? (await import('./front/side-fronts.js')).SideFronts : undefined;
  const threads = new NodeThreads(settings, keystore, links, paths, log, onFatal, Sides);
  try {
    await log.open({
      directory: paths.logs,
      levels: configuredLevels(settings),
      format: settings.values['logger.format'],
      nodeName: name,
      fileBytesMax: Math.min(settings.values['logger.file_size'], settings.values['logger.total_size']),
      fileCountMax: settings.values['logger.file_count'],
      totalBytesMax: settings.values['logger.total_size'],
    });
    return await threads.start(
      name,
      lock,
      openHosts,
      bootstrapPassword ?? keystore.secureSetting('bootstrap.password'),
    );
  } catch (error) {
    log.log('error', 'the node did not start', { reason: String(error) });
    await threads.abandon();
    await log.close();
    lock.release();
    throw error;
  }
}

/** A node that does not find its cluster by then answers requests all the same. */
const JOIN_WAIT_MS_MAX = 30_000;

const REQUEST_CACHE = 'indices.requests.cache.size';

class NodeThreads {
  private readonly settings: NodeSettings;
  private readonly keystore: NodeKeystore;
  /** What keeps strangers from the port of the nodes. */
  private readonly links: TransportSecurity;
  private readonly paths: NodePaths;
  private readonly log: PendingLog;
  private readonly states = new StateHolder(systemClock);
  private readonly lines = new Map<string, Line>();
  /** What reads in this thread reach the front by. */
  private readonly toItself: Line = {
    call: (message) => new Promise((resolve) => resolve(this.receive(FRONT, message as FrontMessage))),
    note: (message) => void this.receive(FRONT, message as FrontMessage),
    close: () => undefined,
  };
  /** What threads tell of their tasks stays in order. */
  private readonly mailOrder: MailOrder = { turns: new MessageTurns(systemClock), laneOf: () => 'messages' };
  private readonly coordinator: ServiceThread;
  private readonly pool: WorkerPool;
  private readonly workerStart: WorkerStart;
  private readonly frontWords: FrontWords;
  /** Undefined: there is one front. */
  private readonly sideFronts: SideFronts | undefined;
  private readonly onFatal: (reason: string) => void;
  private readonly indexingWords: Int32Array;
  private readonly trafficWords = trafficWords();
  private readonly threadWords: ThreadWords;
  private readonly tasks: FrontTasks;
  private readonly freshness = freshnessWord();
  private readonly breakers: FrontBreakers;
  /** Undefined: security is off. */
  private security: FrontSecurity | undefined;
  private front: RequestFront | undefined;
  private transport: TransportFront | undefined;
  private isStopping = false;
  private becomeReady: () => void = () => undefined;
  private readonly ready = new Promise<void>((resolve) => (this.becomeReady = resolve));

  constructor(
    settings: NodeSettings,
    keystore: NodeKeystore,
    links: TransportSecurity,
    paths: NodePaths,
    log: PendingLog,
    onFatal: (reason: string) => void,
    Sides: typeof SideFronts | undefined,
  ) {
    this.settings = settings;
    this.keystore = keystore;
    this.links = links;
    this.paths = paths;
    this.log = log;
    this.onFatal = onFatal;
    useMemoryBudget(settings.memory.budgetBytes);
    const workerCount = settings.values['node.processors'] ?? availableParallelism();
    const frontCount = settings.values['http.front_threads'];
    this.threadWords = countOfThread(threadWords(workerCount + frontCount - 1), FRONT_THREAD);
    const coordinatorStart: CoordinatorStart = {
      settings,
      security: links,
      statePath: paths.clusterState,
      formerStatePath: paths.formerClusterState,
      indicesPath: paths.indices,
      freshness: this.freshness,
      trafficWords: this.trafficWords,
      threadWords: this.threadWords,
      mergesMax: Math.max(1, Math.floor(workerCount / 2)),
    };
    const entryOf = (file: string): URL => new URL(file, import.meta.url);
    this.coordinator = startThread('coordinator', entryOf('coordinator-thread.js'), coordinatorStart, (reason) => {
      this.fail(`the coordinator ended: ${reason}`);
    });
    this.sideFronts =
      Sides &&
      new Sides({
        count: frontCount,
        entry: entryOf('side-front-thread.js'),
        mailOrder: this.mailOrder,
        receive: (peer, message) => this.receive(peer, message),
        onEnd: (reason) => {
          if (this.isStopping) log.log('error', 'connections were lost while the node stopped', { reason });
          this.fail(reason);
        },
      });
    this.tasks = new FrontTasks(systemClock, this.sideFronts?.tasks);
    this.indexingWords = sharedMemoryWords(workerCount);
    const sharedBreakerWords = breakerWords(workerCount);
    const words = new BreakerWords(sharedBreakerWords);
    countNativeTrips(words);
    this.breakers = FrontBreakers.of({
      settings,
      words,
      clusterState: () => this.states.current,
      inflight: () => this.front?.server.breakerFigures().inflight_requests,
    });
    configureSearchThreads(settings, bytesOrShare(settings.values[REQUEST_CACHE], REQUEST_CACHE), workerCount);
    this.workerStart = {
      settings,
      secureSettingsVersion: keystore.version,
      security: links,
      indicesPath: paths.indices,
      indexingBudgetBytes: indexingBudget(settings, settings.memory.budgetBytes),
      indexingWords: this.indexingWords,
      ...wordsOfWorkers(workerCount, frontCount),
      trafficWords: this.trafficWords,
      threadWords: this.threadWords,
      breakerWords: sharedBreakerWords,
      slotWords: slotWords(workerCount),
    };
    this.frontWords = frontWords(this.workerStart.slotWords, frontCount);
    this.pool = new WorkerPool({
      entry: entryOf('worker-thread.js'),
      slots: new WorkerSlots(this.workerStart.slotWords),
      fronts: frontNames(frontCount),
      startData: this.workerStart,
      clock: systemClock,
      logger: log,
      connect: (peer, wire) => this.connect(peer, wire),
      onCrash: (slot) => {
        this.coordinator.post({ kind: 'worker-lost', slot } satisfies CoordinatorOrder, []);
      },
      onFatal: (reason) => {
        this.fail(reason);
      },
    });
    this.lines.set(FRONT, this.toItself);
  }

  async start(
    name: string,
    lock: DataLock,
    openHosts: OpenHosts,
    bootstrapPassword: string | undefined,
  ): Promise<StartedNode> {
    const startedAtMs = systemClock.nowMs();
    await this.connectWithCoordinator(FRONT);
    const [id, routes] = await Promise.all([keptNodeId(this.paths.nodeId), this.routes(), this.secure()]);
    const version = softwareVersion();
    const tls = tlsSettings(this.settings.values, 'http', this.keystore);
    const front = new RequestFront({
      place: { place: 0, count: this.settings.values['http.front_threads'] },
      words: this.frontWords,
      start: this.workerStart,
      parts: { lines: this.lines, states: this.states },
      routes,
      logger: this.log,
      tasks: this.tasks.table,
      breakers: this.breakers,
      entrance: this.security,
      tls,
      ready: this.ready,
    });
    this.front = front;
    this.tasks.identify(id);
    const ephemeralId = newUuid(systemRandom);
    this.transport = this.makeTransport({ nodeId: id, ephemeralId, name, version });
    const isShared = this.sideFronts !== undefined;
    const opening = front.server.listen((options) => openListener({ ...options, isShared }));
    const [listener, transport] = await whenAllSettled(opening, this.transport.listen());
    const addresses = publishedAddresses(this.settings, { http: listener.port, transport }, networkInterfaces());
    this.transport.publish(addresses.transport);
    const node: NodeIdentity = {
      id,
      name,
      version,
      ephemeralId,
      startedAtMs,
      httpAddress: addresses.http,
      transportAddress: addresses.transport,
      dataPath: this.paths.data,
      indexingBufferBytes: indexingBudget(this.settings, this.settings.memory.budgetBytes),
    };
    this.security?.identify({ id, name, ip: addresses.ip });
    front.introduce(node);
    this.sideFronts?.start(listener.ring, { words: this.frontWords, start: this.workerStart, routes, tls, node });
    await this.pool.wireAll(node);
    const { openSharedCache } = await import('./shared-cache.js');
    const sharedCacheBytes = await openSharedCache(this.settings, node.dataPath);
    const capacity = { workerSlots: this.pool.workerCount, sharedCacheBytes };
    const record = nodeRecord(node, this.settings, addresses, capacity);
    const joining: JoinMessage = { kind: 'join', node: record };
    const joined = this.lines
      .get(COORDINATOR)
      ?.call(joining)
      .then(() => this.security?.bootstrap(bootstrapPassword));
    // Without a cluster the node answers nevertheless: that it has none.
    await Promise.race([
      joined,
      new Promise((resolve) => systemClock.schedule(JOIN_WAIT_MS_MAX, () => resolve(undefined))),
    ]);
    this.becomeReady();
    await this.sideFronts?.begin((name) => this.connectWithCoordinator(name));
    this.security?.warnWithoutPassword();
    const { workerCount: workers } = this.pool;
    const { http: address } = addresses;
    const memory = formatBytes(this.settings.memory.budgetBytes);
    this.log.log('info', 'started', { version, address, transport: addresses.transport, workers, memory });
    this.warnOfOptions();
    const openAddresses = openHosts.map((setting) => (setting === 'http.host' ? addresses.http : addresses.transport));
    if (openAddresses.length > 0) {
      const consequence = 'whoever reaches them can read, change and delete everything';
      this.log.log('warn', 'the node has no security', { addresses: openAddresses.join(', '), consequence });
    }
    return { node, openAddresses, stop: (onWait) => this.stop(lock, onWait) };
  }

  private warnOfOptions(): void {
    const { ignoredOptions } = this.settings.memory;
    if (ignoredOptions.length === 0) return;
    this.log.log('warn', 'options of a Java machine have no effect here', { options: ignoredOptions.join(' ') });
  }

  /** Ends the threads of a node that did not start. */
  async abandon(): Promise<void> {
    this.isStopping = true;
    const http = [this.front?.server.stop(), this.sideFronts?.abandon(), this.security?.close()];
    await Promise.allSettled([...http, this.transport?.stop(), this.pool.close(), this.coordinator.stop()]);
  }

  private makeTransport(
    self: Pick<TransportFrontOptions, 'nodeId' | 'ephemeralId' | 'name' | 'version'>,
  ): TransportFront {
    return new TransportFront({
      ...self,
      settings: this.settings,
      security: this.links,
      logger: this.log,
      clock: systemClock,
      clusterState: () => this.states.current,
      tasks: this.tasks,
      isFresh: () => isFresh(this.freshness),
      call: async (target, message) => {
        const line = this.lines.get(target === 'any' ? this.anyWorker() : target);
        if (line === undefined) throw noSuchTarget(target);
        return (await line.call(message)) as Uint8Array;
      },
    });
  }

  private async secure(): Promise<void> {
    const { settings, states, ready, log: logger } = this;
    const coordinator = (): Line | undefined => this.lines.get(COORDINATOR);
    this.security = await loadSecurity({ settings, logger, states, ready, coordinator }, { logsPath: this.paths.logs });
  }

  private anyWorker(): string {
    const slot = this.pool.nextReadySlot();
    return slot === undefined ? 'any' : workerName(slot);
  }

  private async stop(lock: DataLock, onWait?: (what: string) => void): Promise<void> {
    if (this.isStopping) return;
    this.isStopping = true;
    this.log.log('info', 'stopping');
    const served = await this.stopServing((what) => {
      this.log.log('info', 'the stop waits', { for: what });
      onWait?.(what);
    });
    const leaving: LeaveMessage = { kind: 'leave' };
    await this.lines.get(COORDINATOR)?.call(leaving);
    // One that is being restarted has acknowledged nothing that is not in its translog.
    await this.pool.runInReady({ kind: 'drain' } satisfies WorkerTask);
    await this.transport?.stop();
    await this.pool.close();
    await this.security?.close();
    await this.coordinator.stop();
    const relieved = reliefCount(this.indexingWords);
    this.log.log('info', 'stopped', served === undefined ? {} : servedBy(served, relieved));
    await this.log.close();
    lock.release();
  }

  /** Closes the port, then waits until all fronts have answered what they accepted. Undefined: it was never open. */
  private async stopServing(onWait: (what: string) => void): Promise<HttpFigures | undefined> {
    // The first one closes the port before it waits.
    const [, withSides] = await Promise.all([this.front?.server.stop(onWait), this.sideFronts?.stop(onWait)]);
    const figures = this.front && httpFigures(this.front.server, this.security);
    return figures && withSides ? withSides(figures) : figures;
  }

  private async figures(): Promise<FrontFigures> {
    const transport = this.transport?.figures();
    const { server } = must(this.front, 'the front of a node that is asked');
    const own = httpFigures(server, this.security);
    const { pools, breakers, security, ...others } = (await this.sideFronts?.figures(own)) ?? own;
    return {
      ...others,
      pools: { ...pools, index_searcher: searchThreadFigures() },
      breakers: {
        ...this.breakers.figures(breakers.inflight_requests),
        in_flight_answers: breakers.in_flight_answers,
        ...(transport === undefined
          ? {}
          : { transport_requests: transport.requestBytes, transport_answers: transport.answerBytes }),
      },
      transport: transportTraffic(transport, new ClientTraffic(this.trafficWords).figures()),
      buffersRelieved: reliefCount(this.indexingWords),
      ...threadFigures(this.threadWords),
      publications: this.states.figures(),
      ...(security === undefined ? {} : { security }),
    };
  }

  private fail(reason: string): void {
    if (this.isStopping) return;
    this.log.log('error', 'the node cannot go on', { reason });
    this.onFatal(reason);
  }

  private async routes(): Promise<readonly WireRoute[]> {
    return (await this.pool.run({ kind: 'describe' } satisfies WorkerTask, 0)) as readonly WireRoute[];
  }

  private async answerSecurity(question: SecurityQuestion): Promise<unknown> {
    await this.sideFronts?.follow(question);
    return must(this.security, 'security that is on').answer(question);
  }

  /** Takes a line to another thread for the thread of that name. Resolves when a front has it; the coordinator is asked nothing before it is told of it. */
  private async connect(name: string, wire: Wire): Promise<void> {
    if (name === FRONT) this.connectFront(wire);
    else if (name === COORDINATOR) this.connectCoordinator(wire);
    else await this.sideFronts?.connect(name, wire);
  }

  private connectWithCoordinator(front: string): Promise<void> {
    const [near, far] = newChannel();
    this.connectCoordinator({ peer: front, port: far });
    return this.connect(front, { peer: COORDINATOR, port: near });
  }

  private connectCoordinator(wire: Wire): void {
    const order: CoordinatorOrder = { kind: 'wire', wire };
    this.coordinator.post(order, [wire.port]);
  }

  private connectFront(wire: Wire): void {
    this.lines.get(wire.peer)?.close();
    const receive = (message: unknown): unknown => this.receive(wire.peer, message as FrontMessage | PublishMessage);
    const mailbox = new Mailbox(wire.port, wire.peer, receive, this.mailOrder);
    this.lines.set(wire.peer, mailbox);
    // What a worker that crashed had under way is lost.
    void this.tasks.lose(wire.peer, mailbox, this.log);
  }

  private receive(peer: string, message: FrontMessage | PublishMessage): unknown {
    switch (message.kind) {
      case 'publish':
        this.states.apply(unpackPublication(message.publication));
        this.log.setLevels(logLevels(this.states.current, this.settings));
        this.breakers.follow();
        this.front?.follow();
        return undefined;
      case 'log':
        this.log.log(message.level, message.message, message.fields, message.logger);
        return undefined;
      case 'audit':
        this.security?.audit(message.entry);
        return undefined;
      case 'figures':
        return this.figures();
      case 'secure-settings':
        return this.keystore.copy();
      case 'reload-secure-settings':
        return this.keystore.reload(message.password);
      case 'security':
        return this.answerSecurity(message.question);
      default:
        return this.tasks.receive(peer, message);
    }
  }
}
