/** Memory of the machine that lies on disks. */
import { readFileSync } from 'node:fs';

export interface SwapUsage {
  readonly totalBytes: number;
  readonly freeBytes: number;
}

const KILOBYTE = 1024;

/** Undefined where the system does not say. */
export function swapUsage(): SwapUsage | undefined {
  try {
    const text = readFileSync('/proc/meminfo', 'utf8');
    const [totalBytes, freeBytes] = [bytesOf(text, 'SwapTotal'), bytesOf(text, 'SwapFree')];
    return totalBytes === undefined || freeBytes === undefined ? undefined : { totalBytes, freeBytes };
  } catch {
    return undefined;
  }
}

function bytesOf(text: string, name: string): number | undefined {
  const kilobytes = new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(text)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * KILOBYTE;
}
