/** What was read from and written to the device that holds a path. */
import { readFile, stat } from 'node:fs/promises';

/** Since the machine was started, by all of its processes. Times are milliseconds. */
export interface DeviceTraffic {
  readonly device: string;
  readonly reads: number;
  readonly readBytes: number;
  readonly readMs: number;
  readonly writes: number;
  readonly writtenBytes: number;
  readonly writeMs: number;
  /** With any operation under way. */
  readonly busyMs: number;
  /** Of all operations together, those that waited too. */
  readonly operationsMs: number;
}

/** What the system calls so, whatever the device has. */
const SECTOR_BYTES = 512;

/** Undefined where the system does not say: on other systems than Linux, and of file systems that have no device of their own. */
export async function deviceTraffic(path: string): Promise<DeviceTraffic | undefined> {
  try {
    const { dev } = await stat(path, { bigint: true });
    return trafficOf(await readFile('/proc/diskstats', 'utf8'), dev);
  } catch {
    return undefined;
  }
}

/** `statistics` is what the system tells of all devices, `number` that of one as Linux packs it. */
export function trafficOf(statistics: string, number: bigint): DeviceTraffic | undefined {
  const major = ((number >> 8n) & 0xfffn) | ((number >> 32n) & ~0xfffn);
  const minor = (number & 0xffn) | ((number >> 12n) & ~0xffn);
  for (const line of statistics.split('\n')) {
    const [lineMajor, lineMinor, device = '', ...words] = line.trim().split(/ +/);
    if (lineMajor !== String(major) || lineMinor !== String(minor)) continue;
    const figures = words.map(Number);
    const [reads = 0, , sectorsRead = 0, readMs = 0, writes = 0, , sectorsWritten = 0, writeMs = 0, , ...times] =
      figures;
    const [busyMs = 0, operationsMs = 0] = times;
    const [readBytes, writtenBytes] = [sectorsRead * SECTOR_BYTES, sectorsWritten * SECTOR_BYTES];
    return { device, reads, readBytes, readMs, writes, writtenBytes, writeMs, busyMs, operationsMs };
  }
  return undefined;
}
