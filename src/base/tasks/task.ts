/** What a node tells of its tasks: plain data, the same between threads and between nodes. */
import type { JsonObject } from '../json-value.js';

/** One piece of work that can be watched, and perhaps cancelled. */
export interface TaskInfo {
  /** Of its node; ids are `node:number`. */
  readonly number: number;
  /** Of its own accord or for a client, or as part of a task of another node. */
  readonly type: 'transport' | 'direct';
  readonly action: string;
  /** Empty, unless details were asked for. */
  readonly description: string;
  readonly startedAtMs: number;
  readonly runningMs: number;
  readonly isCancellable: boolean;
  readonly isCancelled: boolean;
  /** Id of the task that this one is part of; empty: none. */
  readonly parent: string;
  readonly opaqueId: string;
  /** How far it is, where it tells. */
  readonly status?: JsonObject;
}

/** What a task says of itself while it runs. */
export interface TaskReport {
  readonly description?: string;
  readonly status?: JsonObject;
  /** It obeys a pace from now on. */
  readonly hasPace?: boolean;
}

/** Which tasks of a node; absent members leave nothing out. */
export interface TaskFilter {
  readonly number?: number;
  /** Patterns of actions; empty: all. */
  readonly actions?: readonly string[];
  /** Id of the task that they are part of. */
  readonly parent?: string;
}

/** What the table of a node's tasks is asked; answered with the tasks that it concerned. */
export type TaskQuestion =
  | { readonly kind: 'list'; readonly filter: TaskFilter; readonly detailed: boolean }
  /** Cancels those that can be, and whatever is part of them. `waits`: answered when they have ended, or refused when the time is over. */
  | { readonly kind: 'cancel'; readonly filter: TaskFilter; readonly waits: boolean; readonly timeoutMs: number }
  /** Sets their pace; infinity: none. */
  | { readonly kind: 'rethrottle'; readonly number: number; readonly perSecond: number }
  /** Answered when those of these that run now have ended, or refused when the time is over. */
  | { readonly kind: 'await'; readonly numbers: readonly number[]; readonly timeoutMs: number };

/** A task that a worker carries out for longer than a request, or besides it. */
export interface NewTask {
  readonly action: string;
  readonly description: string;
  readonly isCancellable: boolean;
  /** Id; empty: none. */
  readonly parent: string;
  readonly opaqueId: string;
  /** It obeys a pace. */
  readonly hasPace: boolean;
  /** What becomes of it is kept, also when the thread that carries it out is lost. */
  readonly isKept?: true;
}

export function taskId(nodeId: string, number: number): string {
  return `${nodeId}:${number}`;
}
