/** The memory that this process may use. */
import { totalmem } from 'node:os';
import { parseBytes } from './units.js';

let known: number | undefined;

/** Of the machine, or of the container that the process is confined to. Asked once: the system reads files to answer. */
export function memoryBytes(): number {
  known ??= readMemoryBytes();
  return known;
}

function readMemoryBytes(): number {
  const total = totalmem();
  // Older releases lack the call; without a limit it answers 0 or a number larger than any memory.
  const constrained = (process as { constrainedMemory?: () => number | undefined }).constrainedMemory?.() ?? 0;
  return constrained > 0 ? Math.min(total, constrained) : total;
}

/** Bytes of a size, or of a share of the memory such as `60%`. `setting` names the parameter in the error. */
export function bytesOrShare(text: string, setting: string): number {
  const share = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  if (share === undefined) {
    const bytes = parseBytes(text, setting);
    // -1: no limit.
    return bytes < 0 ? Number.MAX_SAFE_INTEGER : bytes;
  }
  return Math.floor((memoryBytes() * Number(share)) / 100);
}
