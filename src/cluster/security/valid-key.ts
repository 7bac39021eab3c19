/** Whether an API key can be used. */
import type { ApiKey } from './security-state.js';

/** Neither invalidated nor expired at that moment. */
export function isKeyValid({ invalidatedAtMs, expiresAtMs = Infinity }: ApiKey, nowMs: number): boolean {
  return invalidatedAtMs === undefined && nowMs < expiresAtMs;
}
