/**
 * How nodes talk: `POST /<target>/<action>` over HTTP/1.1, a message as body, its answer or an error as body of the answer. This
 * file holds what both sides must agree on.
 */
import { QuarryError } from '../base/errors.js';

/** Rises when nodes of the version before would not understand. */
export const PROTOCOL_VERSION = '1';

/** Which part of the other node is asked: one worker, whichever worker is least busy, the coordinator, or the front. */
export type Target = `worker-${number}` | 'any' | 'coordinator' | 'front';

export const HEADERS = {
  /** In every request and answer: tells a node from anything else that speaks HTTP. */
  protocol: 'quarry-protocol',
  cluster: 'quarry-cluster',
  /** Id of the node that asks. */
  sender: 'quarry-sender',
  /** Id of the node that is asked, where the sender knows it: an address may have become another node's. */
  recipient: 'quarry-recipient',
  /** Number of the sender's task that the request is part of. */
  task: 'quarry-task',
  /** What the request asks of a shard: the list of tasks shows it. */
  operation: 'quarry-operation',
  /** Number of the call, which the answer repeats: an answer to another call must never be taken for this one's. */
  call: 'quarry-call',
  /** In an answer that is an error: `1`, or {@link REFUSED}. */
  failed: 'quarry-failed',
  /** Of a node that has proved the secret of the cluster; see `cluster-secret.ts`. */
  session: 'quarry-session',
  /** Of the request within its session. */
  counter: 'quarry-counter',
  digest: 'quarry-digest',
  /** Of a request or an answer. */
  signature: 'quarry-signature',
} as const;

/** Value of {@link HEADERS.failed}: the node does not take the other for one of its cluster, and has done nothing. */
export const REFUSED = 'refused';

/** Another node, as its state or its answer to a handshake names it. */
export interface Peer {
  /** `host:port`, `[host]:port` for IPv6. */
  readonly address: string;
  /** Undefined: whoever is there. */
  readonly nodeId?: string | undefined;
}

const ACTION = /^[a-z][a-z0-9-]{0,63}$/;
const TARGET = /^(?:worker-\d{1,5}|any|coordinator|front)$/;

export interface Route {
  readonly target: Target;
  readonly action: string;
}

export function pathOf({ target, action }: Route): string {
  return `/${target}/${action}`;
}

const CHALLENGE = pathOf({ target: 'front', action: 'challenge' });
const PROVE = pathOf({ target: 'front', action: 'prove' });

/** The part of the proof of the cluster's secret that a request is; undefined: none, so that it has to be proved already. */
export function proofStep(path: string): 'challenge' | 'prove' | undefined {
  if (path === CHALLENGE) return 'challenge';
  return path === PROVE ? 'prove' : undefined;
}

/** Throws `action_not_found_transport_exception` for any other path. */
export function parsePath(path: string): Route {
  const [, target = '', action = '', ...more] = path.split('/');
  if (TARGET.test(target) && ACTION.test(action) && more.length === 0) return { target: target as Target, action };
  throw new QuarryError('action_not_found_transport_exception', `there is no action [${path}] between nodes`);
}

/** The other node was not reached, or lost before it answered: whether it did what it was asked is not known. */
export function isConnectionFailure(error: unknown): boolean {
  return error instanceof QuarryError && CONNECTION_FAILURES.has(error.type);
}

const CONNECTION_FAILURES: ReadonlySet<string> = new Set([
  'node_not_connected_exception',
  'node_disconnected_exception',
  'receive_timeout_transport_exception',
  'connect_transport_exception',
]);
