/** The memory that this process may use: that of the machine, and the part of it that is the node's budget. */
import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { parseBytes } from './units.js';

const GIGABYTE = 1024 ** 3;
/** More than this is better left to the page cache, where the segments are. */
export const MEMORY_BUDGET_BYTES_MAX = 32 * GIGABYTE;
/** Less than this is used up before a node has done anything. */
export const MEMORY_BUDGET_BYTES_MIN = 256 * 1024 * 1024;

let known: number | undefined;
let budget: number | undefined;

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

/** Half of the memory, 32 GB at most. */
export function defaultMemoryBudget(machineBytes: number): number {
  return Math.max(MEMORY_BUDGET_BYTES_MIN, Math.min(MEMORY_BUDGET_BYTES_MAX, Math.floor(machineBytes / 2)));
}

/** What the node may hold outside the page cache; shares of memory in settings are shares of it. */
export function memoryBudgetBytes(): number {
  return budget ?? defaultMemoryBudget(memoryBytes());
}

/** To be called by each thread before it reads settings. */
export function useMemoryBudget(bytes: number): void {
  budget = bytes;
}

/** Bytes of a size, or of a share of the budget such as `60%`. `setting` names the parameter in the error. */
export function bytesOrShare(text: string, setting: string): number {
  const share = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  if (share === undefined) {
    const bytes = parseBytes(text, setting);
    // -1: no limit.
    return bytes < 0 ? Number.MAX_SAFE_INTEGER : bytes;
  }
  return Math.floor((memoryBudgetBytes() * Number(share)) / 100);
}

/** Memory of all threads of this process. */
export interface ProcessMemory {
  /** All that has an address, whether it lies in the machine's memory or not. */
  readonly virtualBytes: number;
  /** In the machine's memory: JavaScript heaps, bodies, native allocations, which the system cannot take back. */
  readonly privateBytes: number;
  /** In the machine's memory: pages of mapped files, which the system takes back when it needs them. */
  readonly mappedBytes: number;
}

/** Sizes of this process in pages, see proc(5): read in microseconds. */
const STATM = '/proc/self/statm';

/** Where the system does not tell pages of files apart, what is resident counts as private and is all that there is. */
export function processMemory(): ProcessMemory {
  const residentBytes = process.memoryUsage.rss();
  const pages = processPages();
  if (pages === undefined) return { virtualBytes: residentBytes, privateBytes: residentBytes, mappedBytes: 0 };
  const mappedBytes = Math.round(residentBytes * (pages.shared / pages.resident));
  const virtualBytes = Math.round(residentBytes * (pages.all / pages.resident));
  return { virtualBytes, privateBytes: residentBytes - mappedBytes, mappedBytes };
}

function processPages(): { readonly all: number; readonly resident: number; readonly shared: number } | undefined {
  try {
    const [all = 0, resident = 0, shared = 0] = readFileSync(STATM, 'latin1').split(' ').map(Number);
    return all >= resident && resident >= shared && shared > 0 ? { all, resident, shared } : undefined;
  } catch {
    // Not Linux.
    return undefined;
  }
}
