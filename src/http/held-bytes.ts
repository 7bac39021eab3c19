/** What requests and answers hold of memory, and who limits it. */
import type { SharedSum } from '../base/shared-sum.js';

/** Bytes that have limits for all fronts of a node together. */
export interface HeldBytes {
  /** Of bodies of requests. */
  readonly bodies: SharedSum;
  /** Of answers that are not sent yet. */
  readonly answers: SharedSum;
}

/** Limits on memory that the front asks for. */
export interface FrontBreakers {
  /** As it is printed. */
  readonly inflightName: string;
  /** Of bodies of requests, at this moment. */
  inflightLimitBytes(): number;
  /** Throws where the node has no memory for so many bytes more, named `what`. */
  checkParent(bytes: number, what: string): void;
}
