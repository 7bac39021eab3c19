/** Numbers as the report shows them; its script in the browser uses the same. */
import type { AxisUnit } from './section.js';

const STEPS = ['', 'k', 'M', 'G', 'T', 'P'];

/** Three digits, and a letter for the thousands. */
export function formatCount(value: number): string {
  const step = Math.min(STEPS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, Math.abs(value))) / 3)));
  return `${digits(value / 1_000 ** step)}${STEPS[step] ?? ''}`;
}

function digits(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || Number.isInteger(value)) return String(value);
  const decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : Math.min(6, 2 - Math.floor(Math.log10(size)));
  return String(Number(value.toFixed(decimals)));
}

export function formatValue(value: number | null | undefined, unit: AxisUnit): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  switch (unit) {
    case 'ms':
      return Math.abs(value) >= 10_000 ? `${digits(value / 1_000)} s` : `${digits(value)} ms`;
    case 's':
      return `${digits(value)} s`;
    case 'bytes':
      return `${formatCount(value)}B`.replace(/^([\d.-]+)B$/u, '$1 B').replace(/([kMGTP])B$/u, ' $1B');
    case 'bytesPerSecond':
      return `${formatValue(value, 'bytes')}/s`;
    case 'perSecond':
      return `${formatCount(value)}/s`;
    case 'count':
      return formatCount(value);
    case 'ratio':
      return digits(value);
  }
}

export function formatChange(change: number): string {
  return `${change >= 0 ? '+' : '−'}${digits(Math.abs(change) * 100)} %`;
}
