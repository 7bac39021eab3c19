/** Starts and stops a node: the lock, the log, the threads, the front. */
import { contextWords } from '../actions/searches/contexts/context-counters.js';
import { availableParallelism, hostname, networkInterfaces } from 'node:os';
import type { NodeIdentity } from '../actions/context.js';
import type { FrontFigures } from '../actions/front-figures.js';
import { must } from '../base/assert.js';
import { systemClock } from '../base/clock.js';
import { collectionWords, countCollections, heapFigures, HEAP_OF_FRONT } from '../base/garbage-collections.js';
import { named } from '../base/logger.js';
import { breakerWords, BreakerWords } from '../base/breakers.js';
import { bytesOrShare, useMemoryBudget } from '../base/memory.js';
import type { NodeSettings } from '../base/node-settings.js';
import { newUuid, systemRandom } from '../base/random.js';
import { tlsSettings } from '../base/tls-settings.js';
import { whenAllSettled } from '../base/when-all-settled.js';
import { formatBytes } from '../base/units.js';
import { StateHolder } from '../coordinator/state-holder.js';
import { HttpServer } from '../http/server.js';
import type { WireAnswer, WireRequest, WireRoute } from '../rest/wire.js';
import { indexingBudget, reliefCount, sharedMemoryWords } from '../shard/indexing-memory.js';
import { lockDataDirectory, type DataLock } from '../store/data-lock.js';
import { makeDirectory, readChecked, writeChecked } from '../store/files.js';
import { ClientTraffic, trafficWords } from '../transport/client-traffic.js';
import type { TransportSecurity } from '../transport/security.js';
import { Mailbox, type Line, type MailOrder } from '../workers/mailbox.js';
import { MessageTurns } from '../workers/message-turns.js';
import { WorkerPool } from '../workers/pool.js';
import { newChannel, startThread, type ServiceThread } from '../workers/threads.js';
import { COORDINATOR, FRONT, workerName, type Wire } from '../workers/wires.js';
import { ActiveWait, activeWaitMs } from './front/active-wait.js';
import { publishedAddresses, type PublishedAddresses } from './addresses.js';
import { FrontBreakers } from './front/front-breakers.js';
import type { FrontSecurity } from './front/front-security.js';
import { loadSecurity } from './front/load-security.js';
import { servedBy, transportTraffic } from './front/figures.js';
import { FrontTasks } from './front/front-tasks.js';
import { configuredLevels, logLevels } from './logging/log-level.js';
import { PendingLog } from './logging/log-sink.js';
import { unpackPublication } from './packed-publication.js';
import { countNativeTrips } from './native-trips.js';
import type { NodeKeystore } from './node-keystore.js';
import { nodePaths, type NodePaths } from './paths.js';
import { freshnessWord, isFresh } from './freshness.js';
import { NearReads } from './front/near-reads.js';
import { slotOfRequest } from './front/placement.js';
import { configureSearchThreads, searchThreadFigures } from './search-threads.js';
import { RequestLines } from './front/request-lines.js';
import type {
  CoordinatorOrder,
  CoordinatorStart,
  FrontMessage,
  JoinMessage,
  LeaveMessage,
  PublishMessage,
  WorkerStart,
  WorkerTask,
} from './thread-messages.js';
import { noSuchTarget, TransportFront, type TransportFrontOptions } from './front/transport-front.js';
import { openHostsOf, transportSecurity, type OpenHosts } from './transport-security.js';
import { softwareVersion } from './version.js';
import { refuseDowngrade } from './version-stamp.js';

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
  const threads = new NodeThreads(settings, keystore, links, paths, log, onFatal);
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
  private readonly requests: RequestLines;
  private readonly nearReads: NearReads;
  private readonly activeWait: ActiveWait;
  private readonly onFatal: (reason: string) => void;
  private readonly indexingWords: Int32Array;
  private readonly trafficWords = trafficWords();
  private readonly collectionWords: BigInt64Array;
  private readonly tasks = new FrontTasks(systemClock);
  private readonly freshness = freshnessWord();
  private readonly breakers: FrontBreakers;
  /** Undefined: security is off. */
  private security: FrontSecurity | undefined;
  private http: HttpServer | undefined;
  private transport: TransportFront | undefined;
  private node: NodeIdentity | undefined;
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
  ) {
    this.settings = settings;
    this.keystore = keystore;
    this.links = links;
    this.paths = paths;
    this.log = log;
    this.onFatal = onFatal;
    useMemoryBudget(settings.memory.budgetBytes);
    const workerCount = settings.values['node.processors'] ?? availableParallelism();
    this.collectionWords = countCollections(collectionWords(workerCount), HEAP_OF_FRONT);
    const coordinatorStart: CoordinatorStart = {
      settings,
      security: links,
      statePath: paths.clusterState,
      formerStatePath: paths.formerClusterState,
      indicesPath: paths.indices,
      freshness: this.freshness,
      trafficWords: this.trafficWords,
      collectionWords: this.collectionWords,
      mergesMax: Math.max(1, Math.floor(workerCount / 2)),
    };
    const entryOf = (file: string): URL => new URL(file, import.meta.url);
    this.coordinator = startThread('coordinator', entryOf('coordinator-thread.js'), coordinatorStart, (reason) => {
      this.fail(`the coordinator ended: ${reason}`);
    });
    this.indexingWords = sharedMemoryWords(workerCount);
    const sharedBreakerWords = breakerWords(workerCount);
    const words = new BreakerWords(sharedBreakerWords);
    countNativeTrips(words);
    this.breakers = new FrontBreakers({
      words,
      clock: systemClock,
      isElasticsearch: settings.values['compatibility.distribution'] === 'elasticsearch',
      usesRealMemory: settings.values['indices.breaker.total.use_real_memory'],
      clusterState: () => this.states.current,
      inflight: () => this.http?.breakerFigures().inflight_requests,
    });
    configureSearchThreads(settings, bytesOrShare(settings.values[REQUEST_CACHE], REQUEST_CACHE), workerCount);
    const workerStart: WorkerStart = {
      settings,
      secureSettingsVersion: keystore.version,
      security: links,
      indicesPath: paths.indices,
      indexingBudgetBytes: indexingBudget(settings, settings.memory.budgetBytes),
      indexingWords: this.indexingWords,
      // One for the front's reads as well.
      contextWords: contextWords(workerCount + 1),
      trafficWords: this.trafficWords,
      collectionWords: this.collectionWords,
      breakerWords: sharedBreakerWords,
    };
    this.pool = new WorkerPool({
      entry: entryOf('worker-thread.js'),
      workerCount,
      startData: workerStart,
      clock: systemClock,
      logger: log,
      connect: (peer, wire) => {
        if (peer === FRONT) this.connectFront(wire);
        else this.connectCoordinator(wire);
      },
      onCrash: (slot) => {
        this.coordinator.post({ kind: 'worker-lost', slot } satisfies CoordinatorOrder, []);
      },
      onFatal: (reason) => {
        this.fail(reason);
      },
    });
    this.activeWait = new ActiveWait(systemClock, activeWaitMs(settings, workerCount));
    this.requests = new RequestLines(
      this.pool,
      (slot) => must(this.lines.get(workerName(slot)), workerName(slot)),
      this.activeWait,
    );
    this.lines.set(FRONT, this.toItself);
    this.nearReads = new NearReads({
      start: workerStart,
      parts: { lines: this.lines, states: this.states },
      slot: workerCount,
      clock: systemClock,
      logger: log,
      activeWait: this.activeWait,
      haveWorkersRoom: () => this.requests.hasRoom,
    });
  }

  async start(
    name: string,
    lock: DataLock,
    openHosts: OpenHosts,
    bootstrapPassword: string | undefined,
  ): Promise<StartedNode> {
    const startedAtMs = systemClock.nowMs();
    const [near, far] = newChannel();
    this.connectFront({ peer: COORDINATOR, port: near });
    this.connectCoordinator({ peer: FRONT, port: far });
    const [id, routes] = await Promise.all([this.nodeId(), this.routes(), this.secure()]);
    const version = softwareVersion();
    this.http = new HttpServer({
      settings: this.settings,
      routes,
      workerCount: this.pool.workerCount,
      clock: systemClock,
      logger: named(this.log, 'http'),
      tasks: this.tasks.table,
      breakers: this.breakers,
      entrance: this.security,
      tls: tlsSettings(this.settings.values, 'http', this.keystore),
      answerAtOnce: (request, route) => this.nearReads.answerAtOnce(request, route),
      serve: (request, route) => this.serve(request, route),
    });
    this.tasks.table.identify(id);
    const ephemeralId = newUuid(systemRandom);
    this.transport = this.makeTransport({ nodeId: id, ephemeralId, name, version });
    const [http, transport] = await whenAllSettled(this.http.listen(), this.transport.listen());
    const addresses = publishedAddresses(this.settings, { http, transport }, networkInterfaces());
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
    this.node = node;
    this.security?.identify({ id, name, ip: addresses.ip });
    await this.pool.wireAll(node);
    const joining: JoinMessage = { kind: 'join', node: this.record(node, addresses) };
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
    const options = ignoredOptions.join(' ');
    this.log.log('warn', 'options of a Java machine have no effect here', { options });
  }

  /** Ends the threads of a node that did not start. */
  async abandon(): Promise<void> {
    this.isStopping = true;
    await Promise.all([this.http?.stop(), this.transport?.stop(), this.pool.close(), this.coordinator.stop()]);
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
    const logsPath = this.paths.logs;
    const coordinator = (): Line | undefined => this.lines.get(COORDINATOR);
    this.security = await loadSecurity({ settings, logger, states, ready, logsPath, coordinator });
  }

  private anyWorker(): string {
    const slot = this.pool.nextReadySlot();
    return slot === undefined ? 'any' : workerName(slot);
  }

  private async stop(lock: DataLock, onWait?: (what: string) => void): Promise<void> {
    if (this.isStopping) return;
    this.isStopping = true;
    this.log.log('info', 'stopping');
    await this.http?.stop((what) => {
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
    this.log.log('info', 'stopped', servedBy(this.http, reliefCount(this.indexingWords)));
    await this.log.close();
    lock.release();
  }

  private figures(): FrontFigures {
    const transport = this.transport?.figures();
    const answers = this.http?.breakerFigures().in_flight_answers;
    return {
      requests: this.http?.requestCounts() ?? {},
      pools: { ...this.http?.poolFigures(), index_searcher: searchThreadFigures() },
      breakers: {
        ...this.breakers.figures(),
        ...(answers === undefined ? {} : { in_flight_answers: answers }),
        ...(transport === undefined
          ? {}
          : { transport_requests: transport.requestBytes, transport_answers: transport.answerBytes }),
      },
      connections: this.http?.connectionFigures() ?? { open: 0, opened: 0 },
      transport: transportTraffic(transport, new ClientTraffic(this.trafficWords).figures()),
      buffersRelieved: reliefCount(this.indexingWords),
      ...heapFigures(this.collectionWords),
      publications: this.states.figures(),
      ...(this.security === undefined ? {} : { security: this.security.figures() }),
    };
  }

  private fail(reason: string): void {
    if (this.isStopping) return;
    this.log.log('error', 'the node cannot go on', { reason });
    this.onFatal(reason);
  }

  /** Requests that came while the node was starting wait here. */
  private async serve(request: WireRequest, route: WireRoute): Promise<WireAnswer> {
    await this.ready;
    const node = must(this.node, 'identity of a node that is ready');
    const near = this.nearReads.answer(request, route, node);
    return near ?? this.requests.ask(request, slotOfRequest(this.states.current, node.id, request, route));
  }

  private async routes(): Promise<readonly WireRoute[]> {
    return (await this.pool.run({ kind: 'describe' } satisfies WorkerTask, 0)) as readonly WireRoute[];
  }

  private async nodeId(): Promise<string> {
    const known = await readChecked(this.paths.nodeId);
    if (known !== undefined) return known;
    const id = newUuid(systemRandom);
    await writeChecked(this.paths.nodeId, id);
    return id;
  }

  private record(node: NodeIdentity, { host, ip }: PublishedAddresses): JoinMessage['node'] {
    const { values, attributes } = this.settings;
    const { id, ephemeralId, name, httpAddress, transportAddress, version } = node;
    return {
      id,
      ephemeralId,
      name,
      host,
      ip,
      httpAddress,
      transportAddress,
      version,
      roles: values['node.roles'],
      attributes,
      workerSlots: this.pool.workerCount,
    };
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
        this.nearReads.follow();
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
        return must(this.security, 'security that is on').answer(message.question);
      default:
        return this.tasks.receive(peer, message);
    }
  }
}
