/** `_nodes`: how many nodes were asked, and how many of them answered. */
import type { QuarryError } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { describeWithCause } from '../../error-body.js';

export function nodesHeader(total: number, failures: readonly QuarryError[]): JsonObject {
  return {
    total,
    successful: total - failures.length,
    failed: failures.length,
    ...(failures.length === 0 ? {} : { failures: failures.map((failure) => describeWithCause(failure)) }),
  };
}
