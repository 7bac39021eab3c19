/** A task in the table of its node. Most serve one request after the other: nothing is allocated for a request. */
import { Cancellation } from '../cancellation.js';
import type { TaskReport } from './task.js';

/** What is told of a request when somebody asks. */
export interface DescribedRequest {
  readonly parts: Readonly<Record<string, string>>;
  readonly query: string;
  readonly headers: { readonly contentType: string; readonly contentEncoding: string };
  readonly body: Uint8Array | undefined;
}

export class TaskSlot extends Cancellation {
  /** 0: no task. */
  number = 0;
  /** In the list of those that run. */
  place = -1;
  startedMs = 0;
  type: 'transport' | 'direct' = 'transport';
  action = '';
  isCancellable = false;
  hasPace = false;
  parent = '';
  opaqueId = '';
  request: DescribedRequest | undefined;
  report: TaskReport | undefined;
  /** The worker that announced it; empty: the front serves it. */
  owner = '';
  isKept = false;
  private readonly endListeners: (() => void)[] = [];

  /** Called once, when the task of now has ended; the answer has it forgotten. */
  onEnd(listener: () => void): () => void {
    this.endListeners.push(listener);
    return () => {
      const at = this.endListeners.indexOf(listener);
      if (at >= 0) this.endListeners.splice(at, 1);
    };
  }

  ended(): void {
    for (const listener of this.endListeners.splice(0)) listener();
  }

  /** For the next task. */
  reset(): void {
    this.clear();
    this.number = 0;
    this.type = 'transport';
    this.parent = '';
    this.opaqueId = '';
    this.request = undefined;
    this.report = undefined;
    this.hasPace = false;
  }
}
