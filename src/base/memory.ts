/** The memory that this process may use. */
import { totalmem } from 'node:os';

/** Of the machine, or of the container that the process is confined to. */
export function memoryBytes(): number {
  const total = totalmem();
  // Older releases lack the call; without a limit it answers 0 or a number larger than any memory.
  const constrained = (process as { constrainedMemory?: () => number | undefined }).constrainedMemory?.() ?? 0;
  return constrained > 0 ? Math.min(total, constrained) : total;
}
