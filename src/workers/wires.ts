/** Names of a node's threads and the lines between them, for those that need no pool. */
import type { Port } from './threads.js';

/** A line to another thread, named after it. */
export interface Wire {
  readonly peer: string;
  readonly port: Port;
}

/**
 * The first task of every worker, and again when a peer was replaced. Lines come together with what a worker has to know
 * before it is asked anything over them.
 */
export interface WireTask<Introduction> {
  readonly kind: 'wire';
  readonly slot: number;
  readonly wires: readonly Wire[];
  readonly introduction: Introduction;
}

export const COORDINATOR = 'coordinator';
export const FRONT = 'front';

const WORKER = 'worker-';

export function workerName(slot: number): string {
  return `${WORKER}${slot}`;
}

/** Whether the name is that of a worker. */
export function isWorkerName(name: string): boolean {
  return name.startsWith(WORKER);
}

/** Names of so many fronts; the first of them starts and ends the node. */
export function frontNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, front) => (front === 0 ? FRONT : `${FRONT}-${front}`));
}
