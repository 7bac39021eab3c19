import { QuarryError } from '../base/errors.js';

/** Damage of one file, in the native side's words: file, place, problem. */
export function damage(file: string, place: string, problem: string): QuarryError {
  return new QuarryError('corrupt_index_exception', `[${file}]: ${place}: ${problem}`);
}

/** Reads a FlatBuffer whose checksum holds. The accessors do not check bounds; what they throw is damage all the same. */
export function decodeFlatBuffer<T>(file: string, place: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof QuarryError) throw error;
    throw damage(file, place, error instanceof Error ? error.message : String(error));
  }
}

/** A text or vector that the schema requires. */
export function required<T>(value: T | null, name: string): T {
  if (value === null) throw new Error(`${name} is missing`);
  return value;
}
