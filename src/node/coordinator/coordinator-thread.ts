/** Entry of the coordinator thread. */
import { systemClock } from '../../base/clock.js';
import { QuarryError } from '../../base/errors.js';
import { named, type Logger } from '../../base/logger.js';
import { useMemoryBudget } from '../../base/memory.js';
import { systemRandom } from '../../base/random.js';
import { COORDINATOR_THREAD, countOfThread } from '../../base/thread-words.js';
import { decodeState } from '../../cluster/state-codec.js';
import type { ClusterState } from '../../cluster/state.js';
import { ClusterMember, type ClusterMemberOptions } from '../../coordinator/cluster-member.js';
import { Coordinator } from '../../coordinator/coordinator.js';
import { MergeScheduler } from '../../coordinator/merge-scheduler.js';
import { nativeRules } from '../../coordinator/native-rules.js';
import { RemoteNodes, type AskCoordinator } from '../../coordinator/other-nodes.js';
import { NativeMerge } from '../../native/merge.js';
import { removeShardDirectory } from '../../native/removal.js';
import { makeDirectory, readChecked } from '../../store/files.js';
import { nameThisThread } from '../../store/threads.js';
import { TransportClient } from '../../transport/client.js';
import { ClientTraffic } from '../../transport/client-traffic.js';
import { decodeMessage, encodeMessage } from '../../transport/codec.js';
import { Discovery } from '../../transport/discovery.js';
import { Mailbox, type MailOrder } from '../../workers/mailbox.js';
import { MessageTurns } from '../../workers/message-turns.js';
import { FRONT, workerName, type Wire } from '../../workers/wires.js';
import { parent, startData } from '../../workers/threads.js';
import type { Publication } from '../../coordinator/publication.js';
import { DirectorySweeper } from './directory-sweeper.js';
import { noteFreshness } from '../freshness.js';
import { IndexRecords } from './index-records.js';
import { LostWorkers } from './lost-workers.js';
import { nodeQuestions } from './node-questions.js';
import { packPublication } from '../packed-publication.js';
import { RaftFiles } from './raft-member.js';
import type {
  CoordinatorMessage,
  CoordinatorOrder,
  CoordinatorStart,
  JoinMessage,
  PublishMessage,
  RemoteMessage,
} from '../thread-messages.js';

const start = startData() as CoordinatorStart;
useMemoryBudget(start.settings.memory.budgetBytes);
nameThisThread('coordinator');
countOfThread(start.threadWords, COORDINATOR_THREAD);
const mailboxes = new Map<string, Mailbox>();
/** What a thread asks for stays in order: a merge is cancelled after it was begun. */
const mailOrder: MailOrder = { turns: new MessageTurns(systemClock), laneOf: () => 'messages' };
const toFront: Logger = {
  log: (level, message, fields, logger) => mailboxes.get(FRONT)?.note({ kind: 'log', level, message, fields, logger }),
};
const logger = named(toFront, 'cluster');

const CHECK_MS_MAX = 1_000;
const raft = new RaftFiles(start.statePath);

/** What the first version, which knew one node only, left behind. */
async function readInherited(): Promise<ClusterState | undefined> {
  if ((await raft.knownId()) !== undefined) return undefined;
  const text = await readChecked(start.formerStatePath);
  return text === undefined ? undefined : { ...decodeState(text), masterNodeId: '' };
}

let transport: TransportClient | undefined;
let member: ClusterMember | undefined;
let sweeper: DirectorySweeper | undefined;
let records: IndexRecords | undefined;
let lostWorkers: LostWorkers | undefined;

const ask: AskCoordinator = async (peer, action, message, timeoutMs) => {
  const client = transport;
  if (client === undefined) throw notJoined();
  return client.call(peer, 'coordinator', action, message, { timeoutMs });
};

function notJoined(): QuarryError {
  return new QuarryError('node_not_connected_exception', 'this node does not listen to others yet');
}

async function makeCoordinator(): Promise<Coordinator> {
  const made: Coordinator = new Coordinator({
    clusterName: start.settings.values['cluster.name'],
    clock: systemClock,
    random: systemRandom,
    rules: nativeRules,
    logger,
    inherited: await readInherited(),
    others: new RemoteNodes({ clock: systemClock, ask, coordinator: () => made, master: () => member?.master }),
  });
  return made;
}

makeDirectory(start.statePath);
let coordinator: Coordinator;
const merges = new MergeScheduler(start.mergesMax, (job) => new NativeMerge(job));

/** Resolves when this node belongs to a cluster. */
async function joinCluster({ node }: JoinMessage): Promise<void> {
  const { values } = start.settings;
  const client = new TransportClient({
    clusterName: values['cluster.name'],
    nodeId: node.id,
    clock: systemClock,
    traffic: new ClientTraffic(start.trafficWords),
    security: start.security,
  });
  transport = client;
  const handshake = (address: string): ReturnType<TransportClient['handshake']> => {
    const { id: nodeId, ephemeralId, name, version, roles, transportAddress } = node;
    const clusterUuid = coordinator.current.clusterUuid === '' ? null : coordinator.current.clusterUuid;
    const self = { nodeId, ephemeralId, name, version, roles, address: transportAddress, clusterUuid };
    return client.handshake(address, self, { timeoutMs: CHECK_MS_MAX });
  };
  const questions = nodeQuestions({ nodeId: node.id, client, mailboxes });
  sweeper = new DirectorySweeper({
    indicesPath: start.indicesPath,
    nodeId: node.id,
    coordinator,
    clock: systemClock,
    logger,
    areActive: questions.areActive,
    remove: removeShardDirectory,
  });
  lostWorkers = new LostWorkers({
    nodeId: node.id,
    clusterState: () => coordinator.current,
    submit: (lost) => coordinator.submit('worker-lost', lost),
    clock: systemClock,
    logger,
  });
  records = new IndexRecords({
    indicesPath: start.indicesPath,
    nodeId: node.id,
    coordinator,
    clock: systemClock,
    logger,
  });
  const options: ClusterMemberOptions = {
    clusterName: values['cluster.name'],
    self: node,
    settings: new Map(Object.entries(start.settings.clusterSettings)),
    hasStack: values['compatibility.distribution'] === 'elasticsearch',
    discoveryType: values['discovery.type'],
    seedHosts: values['discovery.seed_hosts'],
    initialMasterNodes: values['cluster.initial_master_nodes'],
    coordinator,
    discovery: new Discovery(node.id, {
      seedHosts: values['discovery.seed_hosts'],
      defaultPorts: values['transport.port'],
      clock: systemClock,
      random: systemRandom,
      logger: named(toFront, 'discovery'),
      handshake,
    }),
    clock: systemClock,
    random: systemRandom,
    logger,
    knownRaftId: await raft.knownId(),
    openMember: (...options) => raft.open(...options),
    ask,
    questions,
    runLifecycles: questions.runLifecycles,
    runSnapshots: questions.runSnapshots,
    slm: questions.slm,
    watch: (peer, signal) => client.watch(peer, signal),
    isThere: async ({ transportAddress, ephemeralId }) => {
      const answer = await handshake(transportAddress).catch(() => undefined);
      return answer?.ephemeralId === ephemeralId;
    },
    onFreshness: (isFresh) => {
      noteFreshness(start.freshness, isFresh);
    },
    onFailure: (error) => {
      // Without its part in the cluster the node is of no use: the front hears of the end of this thread.
      setImmediate(() => {
        throw error;
      });
    },
  };
  member = new ClusterMember(options);
  await member.start();
  sweeper.begin();
  records.begin();
}

async function answerRemote({ action, bytes }: RemoteMessage): Promise<Uint8Array> {
  if (member === undefined) throw notJoined();
  return encodeMessage(await member.answer(action, decodeMessage(bytes)));
}

function receive(peer: string, message: CoordinatorMessage): unknown {
  switch (message.kind) {
    case 'merge':
      return merges.run(peer, message.id, message.job);
    case 'cancel-merge':
      merges.cancel(peer, message.id);
      return undefined;
    case 'submit':
      return coordinator.submit(message.name, message.input, message.timeoutMs);
    case 'pending-tasks':
      return message.local ? coordinator.pendingTasks() : coordinator.pendingTasksOfMaster(message.timeoutMs);
    case 'update-figures':
      return coordinator.updateFigures();
    case 'join':
      return joinCluster(message);
    case 'remote':
      return answerRemote(message);
    case 'leave':
      sweeper?.end();
      records?.end();
      lostWorkers?.end();
      return member?.stop();
  }
}

/** By name: workers that crashed, until the cluster knows what that means for their shards. */
const losses = new Map<string, Promise<void>>();

async function lose(slot: number): Promise<void> {
  const peer = workerName(slot);
  mailboxes.get(peer)?.close();
  mailboxes.delete(peer);
  // Nobody must open the shards while merges of the worker write there.
  await merges.cancelAll(peer);
  await lostWorkers?.report(slot);
}

async function connect({ peer, port }: Wire): Promise<void> {
  const mailbox = new Mailbox(port, peer, (message) => receive(peer, message as CoordinatorMessage), mailOrder);
  mailboxes.set(peer, mailbox);
  await losses.get(peer);
  // It crashed as well meanwhile: the next one is told of the state.
  if (mailboxes.get(peer) !== mailbox) return;
  await coordinator.subscribe(peer, (publication) => mailbox.call(publishMessage(publication)));
}

/** The last one that was told. */
let told: { readonly publication: Publication; readonly message: PublishMessage } | undefined;

/** Written once for all threads. */
function publishMessage(publication: Publication): PublishMessage {
  if (told?.publication === publication) return told.message;
  const message: PublishMessage = { kind: 'publish', publication: packPublication(publication) };
  // A whole state is told to one thread, and large.
  if (publication.kind === 'change') told = { publication, message };
  return message;
}

/** Orders wait until this thread listens to them. */
async function begin(): Promise<void> {
  coordinator = await makeCoordinator();
  parent().on('message', obey);
}

function obey(order: CoordinatorOrder): void {
  if (order.kind === 'worker-lost') {
    const lost = lose(order.slot).catch((error: unknown) => {
      logger.log('error', 'cannot report a crashed worker', { slot: order.slot, reason: String(error) });
    });
    losses.set(workerName(order.slot), lost);
    return;
  }
  connect(order.wire).catch((error: unknown) => {
    logger.log('error', 'cannot connect a thread', { thread: order.wire.peer, reason: String(error) });
  });
}

// A state that cannot be read ends the thread with its reason, and with it the node.
void begin();
