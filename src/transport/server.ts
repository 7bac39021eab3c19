/**
 * Takes the requests of other nodes: receives the bytes, has the addressed thread answer them undecoded, sends its bytes back.
 * Lives in the front thread.
 */
import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { BodyBuffers, BodyReceiver, type ReceivedBody } from '../base/body-buffers.js';
import { tooMuchData, type BreakerFigures } from '../base/breakers.js';
import type { Clock } from '../base/clock.js';
import { asQuarryError } from '../base/error-wire.js';
import { QuarryError } from '../base/errors.js';
import {
  TRANSPORT_MESSAGE_BYTES_MAX,
  TRANSPORT_RECEIVED_BYTES_MAX,
  TRANSPORT_REQUESTS_MAX,
  UNSENT_ANSWER_BYTES_MAX,
} from '../base/limits.js';
import { silentLogger, type Logger } from '../base/logger.js';
import type { PortRange } from '../base/node-setting-kinds.js';
import { systemRandom, type Random } from '../base/random.js';
import type { TaskSlot } from '../base/tasks/task-slot.js';
import type { TaskTable } from '../base/tasks/task-table.js';
import { taskId } from '../base/tasks/task.js';
import { openListener, type PortListener } from './app-listener.js';
import { decodeMessage, encodeError, encodeMessage } from './codec.js';
import { answerHandshake, type HandshakeAnswer } from './handshake.js';
import { IncomingCall } from './incoming-call.js';
import type { PeerGuard } from './peer-guard.js';
import { HEADERS, parsePath, proofStep, PROTOCOL_VERSION, REFUSED, type Route, type Target } from './protocol.js';
import { noSecret } from './refusals.js';
import { NO_SECURITY, type TransportSecurity } from './security.js';
import { sendInParts } from './send-in-parts.js';

/** A request of another node, for the thread that it addresses. */
export interface Delivery {
  readonly target: Target;
  readonly action: string;
  /** What the other node says that it asks of a shard; may be empty. */
  readonly operation: string;
  /** A message as it came (`decodeMessage` reads it). Shared memory, used again once answered: nothing may keep it. */
  readonly bytes: Uint8Array;
  /** Cancelled when the other node no longer waits. */
  readonly task: TaskSlot;
  /** Id of the node that asks. */
  readonly sender: string;
}

export interface TransportServerOptions {
  readonly host: string;
  readonly port: PortRange;
  /** Of the request line and headers of a request. */
  readonly headerBytesMax: number;
  readonly clusterName: string;
  readonly nodeId: string;
  readonly clock: Clock;
  /** Without it everybody who reaches the port is taken for a node. */
  readonly security?: TransportSecurity;
  /** Of what challenges are made. */
  readonly random?: Random;
  readonly logger?: Logger;
  /** Where requests are entered while they are served. */
  readonly tasks: TaskTable;
  /** What the list of tasks calls a request; `operation` is what the other node said of it. */
  readonly taskAction: (route: Route, operation: string) => string;
  /** What this node says about itself, at any time from the moment it listens. */
  describe(): HandshakeAnswer;
  /**
   * Gives the bytes of the answer. What it rejects with goes to the other node as the error that it is, and the bytes of
   * the request are then never used again: some thread may still read them.
   */
  deliver(delivery: Delivery): Promise<Uint8Array>;
}

export interface TransportFigures {
  /** Requests that are being served. */
  readonly active: number;
  readonly completed: number;
  /** Refused since the node had too many. */
  readonly rejected: number;
  readonly receivedBytes: number;
  readonly sentBytes: number;
  /** Nodes that wait for the end of this one. */
  readonly watchers: number;
  /** Requests of those who did not prove that they belong to the cluster. */
  readonly refused: number;
  readonly requestBytes: BreakerFigures;
  readonly answerBytes: BreakerFigures;
}

/** How long a stopping node waits for its answers to be sent. */
const STOP_MS_MAX = 2_000;
const STOP_POLL_MS = 10;
const ANSWER_BYTES_WHOLE_MAX = 64 * 1024;
/** Of a message of those who have proved nothing yet. */
export const PROOF_BYTES_MAX = 4_096;
const FORBIDDEN = '403 Forbidden';
const EMPTY = new Uint8Array(0);
/** Of a task, or of a call. */
const NUMBER = /^\d{1,16}$/;

export class TransportServer {
  private readonly options: TransportServerOptions;
  private readonly buffers = new BodyBuffers({
    breaker: 'transport_requests',
    what: '<transport_request>',
    limitBytes: () => TRANSPORT_RECEIVED_BYTES_MAX,
  });
  /** Workers must not keep the coordinator from being heard. */
  private readonly gates = { workers: new RequestGate(), leaders: new RequestGate() };
  private readonly watchers = new Set<HttpResponse>();
  /** Undefined where everybody who reaches the port is taken for a node. */
  private guard: PeerGuard | undefined;
  private listener: PortListener | undefined;
  private unsentBytes = 0;
  private refusedForUnsent = 0;
  private receivedBytes = 0;
  private sentBytes = 0;

  constructor(options: TransportServerOptions) {
    this.options = options;
  }

  /** Listens on the first free port; gives the port. */
  async listen(): Promise<number> {
    const { host, port, clock, security = NO_SECURITY, random = systemRandom, logger = silentLogger } = this.options;
    if (security.tls !== undefined || security.secretKey !== undefined) {
      const { PeerGuard: Guard } = await import('./peer-guard.js');
      const { clusterName, nodeId } = this.options;
      this.guard = new Guard({ security, clusterName, nodeId, clock, random, logger });
    }
    this.listener = await openListener({
      ...{ host, port, clock, logger },
      headerBytesMax: this.options.headerBytesMax,
      tls: security.tls,
      configure: (app) => {
        app.any('/*', (response, request) => {
          this.accept(response, request);
        });
      },
    });
    return this.listener.port;
  }

  /** Lets requests that are being served end, for a while; then every connection is closed. */
  async stop(): Promise<void> {
    this.listener?.closeSocket();
    const { clock } = this.options;
    const startedMs = clock.monotonicMs();
    const { workers, leaders } = this.gates;
    while (workers.active + leaders.active > 0 && clock.monotonicMs() - startedMs < STOP_MS_MAX) {
      await new Promise((resolve) => setTimeout(resolve, STOP_POLL_MS));
    }
    this.listener?.close();
    this.listener = undefined;
  }

  figures(): TransportFigures {
    const { workers, leaders } = this.gates;
    return {
      active: workers.active + leaders.active,
      completed: workers.completed + leaders.completed,
      rejected: workers.rejected + leaders.rejected,
      receivedBytes: this.receivedBytes,
      sentBytes: this.sentBytes,
      watchers: this.watchers.size,
      refused: this.guard?.refusals ?? 0,
      requestBytes: this.buffers.figures(),
      answerBytes: {
        limitBytes: UNSENT_ANSWER_BYTES_MAX,
        usedBytes: this.unsentBytes,
        refused: this.refusedForUnsent,
      },
    };
  }

  private accept(response: HttpResponse, request: HttpRequest): void {
    const call = new IncomingCall(response, request);
    if (call.protocol === '' || call.method !== 'POST') {
      refuseClient(call);
      return;
    }
    const step = proofStep(call.path);
    try {
      this.guard?.checkConnection(call);
      if (step === undefined) this.guard?.admit(call);
    } catch (error) {
      this.refuse(call, error);
      return;
    }
    try {
      this.check(call);
      const route = parsePath(call.path);
      if (step !== undefined) this.receiveProof(call, step);
      else if (route.target === 'front' && route.action === 'watch') this.keepWatcher(call);
      else this.receive(call, TRANSPORT_MESSAGE_BYTES_MAX, (body) => this.serve(call, route, body));
    } catch (error) {
      if (step !== undefined) this.refuse(call, error);
      else this.fail(call, error);
    }
  }

  /** Is it a node of this cluster, and does it mean this node? */
  private check({ protocol, cluster, recipient, proved }: IncomingCall): void {
    const { clusterName, nodeId } = this.options;
    if (protocol !== PROTOCOL_VERSION) {
      const reason = `remote node speaks protocol [${PROTOCOL_VERSION}] between nodes, local node speaks [${protocol}]`;
      throw new QuarryError('connect_transport_exception', reason);
    }
    if (cluster !== encodeURIComponent(clusterName)) {
      // Its own name is for those who have proved that they belong here.
      const own = this.guard?.needsProof === true && proved === undefined ? '' : ` [${clusterName}]`;
      const reason = `remote cluster name${own} does not match local cluster name [${named(cluster)}]`;
      throw new QuarryError('connect_transport_exception', reason);
    }
    if (recipient !== '' && recipient !== nodeId) {
      const reason = `remote node is [${nodeId}], and the request is for [${recipient}]`;
      throw new QuarryError('node_not_connected_exception', reason);
    }
  }

  private receiveProof(call: IncomingCall, step: 'challenge' | 'prove'): void {
    if (this.guard === undefined) throw noSecret();
    const { guard } = this;
    this.receive(call, PROOF_BYTES_MAX, (body) => {
      let bytes: Uint8Array;
      try {
        bytes = encodeMessage(guard.answer(call, step, decodeMessage(body.bytes)));
      } catch (error) {
        this.refuse(call, error);
        return;
      } finally {
        body.release();
      }
      this.send(call, bytes);
    });
  }

  /** Answered by the end of the connection: the other side learns at once that this node has ended. */
  private keepWatcher(call: IncomingCall): void {
    this.watchers.add(call.response);
    call.onAbort(() => this.watchers.delete(call.response));
    call.response.onData(() => undefined);
  }

  private receive(call: IncomingCall, bytesMax: number, onBody: (body: ReceivedBody) => unknown): void {
    const receiver = new BodyReceiver(this.buffers, call.declaredLength, bytesMax, tooLong);
    const hash = this.guard?.bodyHash(call);
    call.onAbort(() => {
      receiver.giveUp();
    });
    call.response.onData((piece, isLast) => {
      if (receiver.isOver) return;
      try {
        receiver.add(piece);
      } catch (error) {
        receiver.giveUp();
        this.fail(call, error);
        return;
      }
      hash?.update(new Uint8Array(piece));
      if (!isLast) return;
      try {
        this.guard?.checkBody(call, hash);
      } catch (error) {
        receiver.giveUp();
        this.refuse(call, error);
        return;
      }
      void onBody(receiver.finish());
    });
  }

  private async serve(call: IncomingCall, route: Route, body: ReceivedBody): Promise<void> {
    const gate = this.gates[route.target === 'coordinator' || route.target === 'front' ? 'leaders' : 'workers'];
    this.receivedBytes += body.bytes.length;
    let bytes: Uint8Array;
    try {
      if (this.unsentBytes > UNSENT_ANSWER_BYTES_MAX) throw this.tooManyUnsent();
      gate.enter();
    } catch (error) {
      body.release();
      this.fail(call, error);
      return;
    }
    try {
      bytes = await this.answer(call, route, body);
    } catch (error) {
      body.drop();
      this.fail(call, error);
      return;
    } finally {
      gate.leave();
    }
    body.release();
    this.send(call, bytes);
  }

  private async answer(call: IncomingCall, route: Route, body: ReceivedBody): Promise<Uint8Array> {
    if (route.target === 'front' && route.action === 'handshake') {
      return encodeMessage(answerHandshake(decodeMessage(body.bytes), this.options.describe()));
    }
    const { tasks, taskAction } = this.options;
    const { sender } = call;
    const task = tasks.begin(taskAction(route, call.operation), true);
    task.type = 'direct';
    if (NUMBER.test(call.parentTask)) task.parent = taskId(sender, Number(call.parentTask));
    // The task's words serve another request as soon as this one is answered.
    let isServing = true;
    call.onAbort(() => {
      if (isServing) task.cancel();
    });
    let isOver = false;
    try {
      const answer = await this.options.deliver({
        ...route,
        operation: call.operation,
        bytes: body.bytes,
        task,
        sender,
      });
      isOver = true;
      return answer;
    } finally {
      isServing = false;
      if (isOver) tasks.end(task);
      else tasks.abandon(task);
    }
  }

  private tooManyUnsent(): QuarryError {
    this.refusedForUnsent++;
    return tooMuchData('in_flight_answers', '<transport_response>', {
      wantedBytes: this.unsentBytes,
      limitBytes: UNSENT_ANSWER_BYTES_MAX,
      durability: 'TRANSIENT',
    });
  }

  private fail(call: IncomingCall, error: unknown): void {
    this.send(call, encodeError(error), '1');
  }

  /** Of one who has not proved that it belongs here. Nothing was done, and its connection ends. */
  private refuse(call: IncomingCall, error: unknown): void {
    this.guard?.tell(call, asQuarryError(error).message);
    this.send(call, encodeError(error), REFUSED);
  }

  /** `failed`: the answer is an error, and of which kind. */
  private send(call: IncomingCall, bytes: Uint8Array, failed?: '1' | typeof REFUSED): void {
    if (call.isAborted) return;
    const signature = failed === REFUSED ? undefined : this.guard?.signature(call, bytes, failed !== undefined);
    this.sentBytes += bytes.length;
    this.unsentBytes += bytes.length;
    const { response } = call;
    response.cork(() => {
      response.writeStatus(
        failed === undefined ? '200 OK' : failed === REFUSED ? FORBIDDEN : '500 Internal Server Error',
      );
      response.writeHeader(HEADERS.protocol, PROTOCOL_VERSION);
      if (NUMBER.test(call.number)) response.writeHeader(HEADERS.call, call.number);
      if (failed !== undefined) response.writeHeader(HEADERS.failed, failed);
      if (signature !== undefined) response.writeHeader(HEADERS.signature, signature);
      const onSent = (): void => {
        this.unsentBytes -= bytes.length;
      };
      if (bytes.length > ANSWER_BYTES_WHOLE_MAX) {
        const listenForAbort = (listener: () => void): void => {
          call.onAbort(listener);
        };
        sendInParts(response, bytes, listenForAbort, onSent);
        return;
      }
      response.end(bytes.length === 0 ? EMPTY : bytes, failed === REFUSED);
      onSent();
    });
  }
}

/** Whoever speaks HTTP as clients do is told in words of theirs. */
function refuseClient({ response }: IncomingCall): void {
  const error =
    'This is the port that nodes use among themselves. Clients use that of HTTP, which is 9200 where nothing else is set.';
  response.cork(() => {
    response.writeStatus('400 Bad Request');
    response.writeHeader('content-type', 'application/json');
    response.end(JSON.stringify({ error, status: 400 }), true);
  });
}

class RequestGate {
  active = 0;
  completed = 0;
  rejected = 0;

  enter(): void {
    if (this.active >= TRANSPORT_REQUESTS_MAX) {
      this.rejected++;
      const reason = `rejected execution: [${this.active}] requests of other nodes are being served`;
      throw new QuarryError('rejected_execution_exception', reason);
    }
    this.active++;
  }

  leave(): void {
    this.active--;
    this.completed++;
  }
}

/** A header holds ASCII only. */
function named(header: string): string {
  try {
    return decodeURIComponent(header);
  } catch {
    return header;
  }
}

function tooLong(bytesMax: number): QuarryError {
  return new QuarryError('content_too_large_exception', `a message between nodes has at most ${bytesMax} bytes`);
}
