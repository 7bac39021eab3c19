/** What an indicator of the health report found. */
import type { JsonObject } from '../../base/json-value.js';
import type { HealthStatus } from '../../cluster/health.js';

export interface Finding {
  readonly status: HealthStatus;
  readonly symptom: string;
  readonly details: JsonObject;
  readonly impacts?: readonly Impact[];
}

export interface Impact {
  readonly id: string;
  /** 1 is the worst. */
  readonly severity: number;
  readonly description: string;
  readonly areas: readonly string[];
}
