import type { ReceivedBody } from '../base/body-buffers.js';
import type { RouteMatch } from '../rest/router.js';
import type { WireRoute } from '../rest/wire.js';
import type { Exchange } from './exchange.js';

/** Where a request goes. */
export type Found = Extract<RouteMatch<WireRoute>, { kind: 'found' }>;

/** A request that has come whole, and waits for its answer. Who answers it gives its body back. */
export interface CompleteRequest {
  readonly exchange: Exchange;
  readonly found: Found;
  readonly body: ReceivedBody | undefined;
  /** Text of the subject that sent it. */
  readonly subject: string;
}
