/** Numbers as people read them. Nothing that is missing becomes a zero: it becomes a dash. */

export const DASH = '–';

const COUNT = new Intl.NumberFormat('en');
const BYTE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];

/** `1,234`. */
export function formatCount(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? DASH : COUNT.format(value);
}

/** Three digits at most: `1.23 GB`. */
export function formatBytes(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return DASH;
  let scaled = value;
  let unit = 0;
  while (scaled >= 1_000 && unit < BYTE_UNITS.length - 1) {
    scaled /= 1_024;
    unit++;
  }
  return `${shortNumber(scaled, unit === 0)} ${BYTE_UNITS[unit] ?? ''}`;
}

/** `640 µs`, `12 ms`, `3.4 s`, `5 min 2 s`, `3 h 10 min`, `2 d 4 h`. */
export function formatDuration(milliseconds: number | undefined): string {
  if (milliseconds === undefined || Number.isNaN(milliseconds)) return DASH;
  if (milliseconds === 0) return '0';
  if (milliseconds < 1) return `${Math.round(milliseconds * 1_000)} µs`;
  if (milliseconds < 1_000) return `${shortNumber(milliseconds, false)} ms`;
  const seconds = milliseconds / 1_000;
  if (seconds < 60) return `${shortNumber(seconds, false)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3_600)} h`;
}

/** `12.5 %`. */
export function formatPercent(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? DASH : `${Number(value.toFixed(1))} %`;
}

/** `2026-11-24 15:59:28`, in the zone of the reader. */
export function formatTime(epochMs: number | undefined): string {
  if (epochMs === undefined || Number.isNaN(epochMs)) return DASH;
  const date = new Date(epochMs);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${[two(date.getHours()), two(date.getMinutes()), two(date.getSeconds())].join(':')}`;
}

/** A cell of the cat APIs, which are texts or nothing. */
export function cellNumber(cell: string | null | undefined): number | undefined {
  return cell === null || cell === undefined || cell === '' ? undefined : Number(cell);
}

function shortNumber(value: number, isWhole: boolean): string {
  if (isWhole || value >= 100) return String(Math.round(value));
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** `1 shard`, `2 shards`. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : many}`;
}
