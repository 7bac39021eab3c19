/** Lengths of geohashes whose cells are as large as a distance. */
import { QuarryError } from '../base/errors.js';

export const PRECISION_DEFAULT = 6;
export const PRECISION_MAX = 12;

const EQUATOR_METERS = 40_075_016.685_578_49;
/** From pole to pole. */
const POLAR_METERS = 19_970_326.371_122_01;

const METERS: Readonly<Record<string, number>> = {
  '': 1,
  ...{ m: 1, meters: 1, km: 1000, kilometers: 1000, cm: 0.01, centimeters: 0.01, mm: 0.001, millimeters: 0.001 },
  ...{ mi: 1609.344, miles: 1609.344, yd: 0.9144, yards: 0.9144, ft: 0.3048, feet: 0.3048, in: 0.0254, inch: 0.0254 },
  ...{ NM: 1852, nmi: 1852, nauticalmiles: 1852 },
};

/** The longest geohash whose cell is not smaller than a distance such as `5km`. */
export function precisionOfMeters(text: string): number {
  const match = /^\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-zA-Z]*)\s*$/.exec(text);
  const unit = match?.[2] ?? '';
  const factor = Object.hasOwn(METERS, unit) ? METERS[unit] : undefined;
  if (match === null || factor === undefined) {
    throw new QuarryError('number_format_exception', `For input string: "${text}"`);
  }
  const meters = Number(match[1]) * factor;
  if (meters === 0) return PRECISION_MAX;
  const width = meters / (1 + POLAR_METERS / EQUATOR_METERS);
  const bits = Math.max(0, Math.ceil(Math.log2(Math.ceil(EQUATOR_METERS / width))));
  const left = bits % 5;
  const length = 2 * Math.floor(bits / 5) + (left > 0 ? 1 : 0) + (left > 3 ? 1 : 0);
  const fitting = cellMeters(length) < meters ? length - 1 : length;
  return Math.min(PRECISION_MAX, Math.max(1, fitting));
}

/** From corner to corner. */
function cellMeters(length: number): number {
  const bits = length * 5;
  const width = EQUATOR_METERS / 2 ** (Math.floor(bits / 2) + (bits % 2));
  const height = POLAR_METERS / 2 ** Math.floor(bits / 2);
  return Math.hypot(width, height);
}
