/** Numbers of YAML and CBOR as JSON writes them: an integer stays one, and a fraction is seen to be one. */
import { QuarryError } from '../base/errors.js';

/** Digits that tell any number of 32 bits from its neighbours. */
const FLOAT32_DIGITS_MAX = 9;
const FLOAT32_DIGITS_MIN = 6;

/** `1` as a floating-point number is `1.0`: it is what a new field is made for. */
export function writeFloat(value: number): string {
  if (!Number.isFinite(value)) {
    throw new QuarryError('x_content_parse_exception', `numbers must be finite, found [${value}]`);
  }
  if (Object.is(value, -0)) return '-0.0';
  const text = String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** The shortest text that reads as the same number of 32 bits. */
export function writeFloat32(value: number): string {
  if (value === 0) return writeFloat(value);
  for (let digits = FLOAT32_DIGITS_MIN; digits < FLOAT32_DIGITS_MAX; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return writeFloat(rounded);
  }
  return writeFloat(value);
}
