/** What an indicator of the health report found. */
import type { JsonObject } from '../../base/json-value.js';
import type { DiskInfo } from '../../cluster/disks/cluster-info.js';
import type { HealthStatus } from '../../cluster/health.js';
import type { ClusterState } from '../../cluster/state.js';

/** What indicators look at. */
export interface HealthView {
  readonly state: ClusterState;
  /** Names of indices that are listed. */
  readonly namesMax: number;
  readonly nowMs: number;
  /** By node id, of data nodes that told. */
  readonly disks: ReadonlyMap<string, DiskInfo>;
}

export interface Finding {
  readonly status: HealthStatus;
  readonly symptom: string;
  readonly details: JsonObject;
  readonly impacts?: readonly Impact[];
  readonly diagnoses?: readonly Diagnosis[];
}

/** Why, and what to do. */
export interface Diagnosis {
  /** Behind `elasticsearch:health:<indicator>:diagnosis:`. */
  readonly id: string;
  readonly cause: string;
  readonly action: string;
  /** A page of the documentation. */
  readonly helpUrl: string;
  readonly indices?: readonly string[];
  readonly nodes?: readonly { readonly node_id: string; readonly name: string }[];
}

export interface Impact {
  readonly id: string;
  /** 1 is the worst. */
  readonly severity: number;
  readonly description: string;
  readonly areas: readonly string[];
}

export function worstOf(statuses: readonly HealthStatus[]): HealthStatus {
  return statuses.find((each) => each === 'red') ?? statuses.find((each) => each === 'yellow') ?? 'green';
}
