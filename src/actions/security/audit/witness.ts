/** What is told the audit log of a request, where the node has one. */
import type { JsonObject } from '../../../base/json-value.js';
import type { ClusterState } from '../../../cluster/state.js';

/** A request as far as the audit log looks at it. */
export interface WitnessedRequest {
  readonly parts: Readonly<Record<string, string | undefined>>;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly body: {
    readonly isEmpty: boolean;
    readonly bytes: Uint8Array;
    object(): JsonObject | undefined;
  };
}

/** What the patterns of a part of a request reach. */
export interface Reach {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly view: () => ClusterState;
}

export interface Witness {
  /** The request may be carried out. `view`: what its patterns of names reach. */
  allowed(action: string, names: readonly string[], request: WitnessedRequest, view: () => ClusterState): void;
  /** A part of the request, which is an action of its own, may be carried out. Without `reach` the names are no patterns. */
  granted(action: string, names: readonly string[], reach?: Reach): void;
  denied(action: string, names: readonly string[]): void;
  /** Whether the subject may act in the place of another. */
  ranAs(isAllowed: boolean, action: string): void;
}
