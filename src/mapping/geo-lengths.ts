/** Lengths (`12km`, `3 mi`, `100`), and the geohashes whose cells are as large. */
import { illegalArgument, QuarryError } from '../base/errors.js';
import { GEOHASH_LETTERS_MAX } from './geo-point.js';

/** Endings and their metres; where one ends like another, the longer comes first. */
export const LENGTH_UNITS: readonly (readonly [string, number])[] = [
  ['inch', 0.0254],
  ['in', 0.0254],
  ['yards', 0.9144],
  ['yd', 0.9144],
  ['feet', 0.3048],
  ['ft', 0.3048],
  ['kilometers', 1000],
  ['km', 1000],
  ['nauticalmiles', 1852],
  ['nmi', 1852],
  ['NM', 1852],
  ['millimeters', 0.001],
  ['mm', 0.001],
  ['centimeters', 0.01],
  ['cm', 0.01],
  ['miles', 1609.344],
  ['mi', 1609.344],
  ['meters', 1],
  ['m', 1],
];

/** Metres; a number without an ending is in `unit`. */
export function parseMetres(text: string, unit = 1): number {
  const trimmed = text.trim();
  const found = LENGTH_UNITS.find(([name]) => trimmed.endsWith(name));
  const digits = found === undefined ? trimmed : trimmed.slice(0, -found[0].length).trim();
  const number = Number(digits);
  if (digits === '' || !Number.isFinite(number)) {
    throw new QuarryError('number_format_exception', `For input string: "${digits}"`);
  }
  return number * (found?.[1] ?? unit);
}

/** Ways around the earth and from pole to pole, in metres. */
const EARTH_EQUATOR = 2 * Math.PI * 6_378_137;
const EARTH_POLES = Math.PI * 6_356_752.314_245;
const BITS_PER_LETTER = 5;

/** The letters of the largest geohash whose cell is no longer than that, about. */
export function geohashLetters(metres: number): number {
  if (metres < 0) throw illegalArgument(`precision of [${metres}] metres is negative`);
  if (metres === 0) return GEOHASH_LETTERS_MAX;
  const ratio = 1 + EARTH_POLES / EARTH_EQUATOR;
  const parts = Math.ceil((EARTH_EQUATOR * ratio) / metres);
  if (parts === 1) return 1;
  const bits = Math.ceil(Math.log2(parts));
  const full = Math.floor(bits / BITS_PER_LETTER);
  const left = bits - full * BITS_PER_LETTER;
  return 2 * full + (left > 0 ? 1 : 0) + (left > 3 ? 1 : 0);
}

/** From corner to corner of the cell of a geohash, in metres. */
export function geohashCellMetres(letters: number): number {
  const bits = letters * BITS_PER_LETTER;
  const width = EARTH_EQUATOR / 2 ** Math.ceil(bits / 2);
  const height = EARTH_POLES / 2 ** Math.floor(bits / 2);
  return Math.hypot(width, height);
}
