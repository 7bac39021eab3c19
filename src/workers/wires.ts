/** Names of a node's threads and the lines between them, for those that need no pool. */
import type { Port } from './threads.js';

/** A line to another thread, named after it. */
export interface Wire {
  readonly peer: string;
  readonly port: Port;
}

/** The first task of every worker, and again when a peer was replaced. */
export interface WireTask {
  readonly kind: 'wire';
  readonly slot: number;
  readonly workerCount: number;
  readonly wires: readonly Wire[];
}

export const COORDINATOR = 'coordinator';
export const FRONT = 'front';

export function workerName(slot: number): string {
  return `worker-${slot}`;
}
