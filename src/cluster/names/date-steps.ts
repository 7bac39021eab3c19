/** Steps of date math: what is added to a moment, and to what it is rounded down. All moments are milliseconds since 1970. */
import { zoneOffsetMs } from './time-zone.js';

const FIXED_UNITS: Readonly<Record<string, number>> = {
  w: 604_800_000,
  d: 86_400_000,
  h: 3_600_000,
  H: 3_600_000,
  m: 60_000,
  s: 1_000,
};

/** Months and years keep the day, or end at the last day of a shorter month. `unit` is one of `yMwdhHms`, `zone` as `zoneOffsetMs` takes it. */
export function addUnits(millis: number, amount: number, unit: string, zone: string): number {
  const fixed = FIXED_UNITS[unit];
  if (fixed !== undefined) return millis + amount * fixed;
  const local = new Date(millis + zoneOffsetMs(zone, millis));
  const months = unit === 'y' ? amount * 12 : amount;
  const day = local.getUTCDate();
  local.setUTCDate(1);
  local.setUTCMonth(local.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1, 0)).getUTCDate();
  local.setUTCDate(Math.min(day, lastDay));
  return fromLocal(local.getTime(), zone);
}

/** The beginning of the unit in the zone; weeks begin on Monday. */
export function roundDown(millis: number, unit: string, zone: string): number {
  const local = new Date(millis + zoneOffsetMs(zone, millis));
  if (unit === 'y') local.setUTCMonth(0, 1);
  if (unit === 'M') local.setUTCDate(1);
  if (unit === 'w') local.setUTCDate(local.getUTCDate() - ((local.getUTCDay() + 6) % 7));
  const grain = FIXED_UNITS[unit === 'y' || unit === 'M' || unit === 'w' ? 'd' : unit] ?? 1;
  return fromLocal(Math.floor(local.getTime() / grain) * grain, zone);
}

function fromLocal(localMs: number, zone: string): number {
  const guess = localMs - zoneOffsetMs(zone, localMs);
  return localMs - zoneOffsetMs(zone, guess);
}
