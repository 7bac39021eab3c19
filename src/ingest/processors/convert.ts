/** `convert`: a value of another type, or a list of them. */
import { isIP } from 'node:net';
import { double } from '../../base/double.js';
import { illegalArgument } from '../../base/errors.js';
import { isInt, isLong, numberOf, printValue, type IngestValue } from '../document/values.js';
import { defineProcessor } from '../processor.js';
import { valueAt } from './field-values.js';

type Conversion = (value: IngestValue) => IngestValue;

const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  integer: (value) => whole(value, 'integer', (found) => isInt(Number(found))),
  long: (value) => whole(value, 'long', isLong),
  float: (value) => decimal(value, 'float'),
  double: (value) => decimal(value, 'double'),
  boolean: toBoolean,
  ip: toAddress,
  string: printValue,
  auto: (value) => (typeof value === 'string' ? guess(value) : value),
};

export const convert = defineProcessor('convert', (options) => {
  const field = options.text('field');
  const type = options.text('type');
  const target = options.optionalText('target_field', field);
  const ignoreMissing = options.flag('ignore_missing');
  const name = type.toLowerCase();
  const conversion = Object.hasOwn(CONVERSIONS, name) ? CONVERSIONS[name] : undefined;
  if (conversion === undefined) throw options.error('type', `type [${type}] not supported, cannot convert field.`);
  return (document) => {
    const value = valueAt(document, field, ignoreMissing);
    if (value === null && ignoreMissing) return;
    if (value === null) throw illegalArgument(`Field [${field}] is null, cannot be converted to type [${name}]`);
    document.set(target, Array.isArray(value) ? value.map(conversion) : conversion(value));
  };
});

function whole(value: IngestValue, type: string, fits: (found: bigint) => boolean): number | bigint {
  const text = printValue(value);
  const hexadecimal = /^([+-]?)(?:0[xX]|#)([0-9a-fA-F]+)$/.exec(text);
  const isPlain = /^[+-]?\d{1,20}$/.test(text);
  if (hexadecimal !== null || isPlain) {
    const size = hexadecimal === null ? BigInt(text.replace(/^\+/, '')) : BigInt(`0x${hexadecimal[2]}`);
    const found = hexadecimal?.[1] === '-' ? -size : size;
    if (fits(found)) return Number.isSafeInteger(Number(found)) ? Number(found) : found;
  }
  throw illegalArgument(`unable to convert [${text}] to ${type}`);
}

function decimal(value: IngestValue, type: string): IngestValue {
  const text = printValue(value);
  // Digits can be read in one way only, or long texts that are no numbers would take quadratic time.
  const found = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?$/.test(text) ? Number.parseFloat(text) : NaN;
  if (Number.isFinite(found)) return double(found);
  throw illegalArgument(`unable to convert [${text}] to ${type}`);
}

function toBoolean(value: IngestValue): boolean {
  const text = printValue(value).toLowerCase();
  if (text === 'true' || text === 'false') return text === 'true';
  throw illegalArgument(`[${printValue(value)}] is not a boolean value, cannot convert to boolean`);
}

function toAddress(value: IngestValue): string {
  if (typeof value === 'string' && isIP(value) !== 0) return value;
  throw illegalArgument(`'${printValue(value)}' is not an IP string literal.`);
}

/** The narrowest type that has the text. */
function guess(text: string): IngestValue {
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  for (const type of ['long', 'double'] as const) {
    try {
      const found = CONVERSIONS[type]?.(text);
      if (found !== undefined && numberOf(found) !== undefined) return found;
    } catch {
      // It is something else.
    }
  }
  return text;
}
