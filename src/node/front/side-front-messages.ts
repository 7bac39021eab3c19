/** What the first front of a node and its side fronts say to each other. */
import type { NodeIdentity } from '../../actions/context.js';
import type { TaskQuestion, TaskReport } from '../../base/tasks/task.js';
import type { TlsSettings } from '../../base/tls-settings.js';
import type { FrontPlace } from '../../http/pool-room.js';
import type { WireRoute } from '../../rest/wire.js';
import type { Wire } from '../../workers/wires.js';
import type { SecurityQuestion, WorkerStart } from '../thread-messages.js';
import type { FrontWords } from './request-front.js';

/** Start data of the thread of a side front. */
export interface SideFrontStart {
  readonly place: FrontPlace;
  /** Of the thread. */
  readonly name: string;
  readonly words: FrontWords;
  readonly start: WorkerStart;
  readonly routes: readonly WireRoute[];
  readonly tls: TlsSettings | undefined;
  readonly node: NodeIdentity;
}

/** To the thread of a side front, from the first one: the line between the two. */
export interface SideFrontOrder {
  readonly wire: Wire;
}

/** To a side front, from the first one. */
export type SideFrontMessage =
  /** A line to another thread of the node. Answered when it is in use. */
  | { readonly kind: 'connect'; readonly wire: Wire }
  /** The node is ready: take connections. Answered when this front is ready for them. `isBootstrapping`: see `FrontSecurity`. */
  | { readonly kind: 'begin'; readonly isBootstrapping: boolean }
  /** Answered with `HttpFigures`. */
  | { readonly kind: 'http-figures' }
  /** Of tasks of this front; as in `TaskMessage`. */
  | { readonly kind: 'ask-tasks'; readonly question: TaskQuestion }
  | { readonly kind: 'report-task'; readonly number: number; readonly report: TaskReport }
  | { readonly kind: 'security'; readonly question: SecurityQuestion }
  /** Answer what was accepted, and nothing more. Answered with the `HttpFigures` of this run. */
  | { readonly kind: 'stop' };

/** To the first front, from a side front: of apps, see `AppRing`, and of a stop. */
export type SideFrontNote =
  | { readonly kind: 'add-app'; readonly descriptor: number }
  | { readonly kind: 'replace-app'; readonly former: number; readonly next: number }
  | { readonly kind: 'stop-waits'; readonly what: string };
