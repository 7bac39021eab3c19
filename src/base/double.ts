/** Floating-point numbers that happen to be whole: the API writes them with a fraction. */

/** A whole number that is a floating-point one: `1.0`. Other numbers say by their value what they are. */
export class Double {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A floating-point number. */
export function double(value: number): number | Double {
  return Number.isInteger(value) ? new Double(value) : value;
}

/** As JSON has it. */
export function printDouble({ value }: Double): string {
  const text = String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}
