/** `csv`: fields from one line of values. */
import { illegalArgument } from '../../base/errors.js';
import type { IngestValue } from '../document/values.js';
import { fromJson } from '../document/values.js';
import { PARTS_MAX } from '../limits.js';
import { defineProcessor } from '../processor.js';
import { textField } from './field-values.js';

export const csv = defineProcessor('csv', (options) => {
  const field = options.text('field');
  const targets = options.texts('target_fields');
  const separator = options.optionalText('separator', ',');
  const quote = options.optionalText('quote', '"');
  const ignoreMissing = options.flag('ignore_missing');
  const trims = options.flag('trim');
  const emptyValue = options.take('empty_value');
  if (targets.length === 0) throw options.error('target_fields', 'target fields list can not be empty');
  if (quote.length !== 1)
    throw options.error('quote', `quote has to be exactly one character, but was ${quote.length}`);
  if (separator.length !== 1) {
    throw options.error('separator', `separator has to be exactly one character, but was ${separator.length}`);
  }
  if (/[\r\n"]/.test(separator)) throw options.error('separator', 'separator can not be \\n, \\r or a quote');
  const rules: Rules = { separator, quote, trims };
  return (document) => {
    const text = textField(document, field, ignoreMissing, 'cannot process it.');
    if (text === undefined) return;
    const values = parseLine(text, rules, targets.length);
    values.slice(0, targets.length).forEach((value, at) => {
      const target = targets[at];
      if (target === undefined || target === '') return;
      const put: IngestValue = value === '' && emptyValue !== undefined ? fromJson(emptyValue) : value;
      if (value !== '' || emptyValue !== undefined) document.set(target, put);
    });
  };
});

interface Rules {
  readonly separator: string;
  readonly quote: string;
  readonly trims: boolean;
}

/** The first `count` values of the line. */
function parseLine(text: string, rules: Rules, count: number): readonly string[] {
  const { separator, quote, trims } = rules;
  const values: string[] = [];
  let at = 0;
  while (values.length < Math.min(count, PARTS_MAX)) {
    if (trims) at = skipSpace(text, at);
    if (text.charAt(at) === quote) {
      const { value, end } = quoted(text, at + 1, quote);
      at = trims ? skipSpace(text, end) : end;
      if (at < text.length && text.charAt(at) !== separator) {
        throw illegalArgument(`invalid character after quoted field at position ${at}`);
      }
      values.push(value);
    } else {
      const found = text.indexOf(separator, at);
      const end = found < 0 ? text.length : found;
      const value = text.slice(at, end);
      if (value.includes(quote))
        throw illegalArgument(`Illegal character inside unquoted field at ${at + value.indexOf(quote)}`);
      values.push(trims ? value.trim() : value);
      at = end;
    }
    if (at >= text.length) break;
    at++;
    // A separator at the end leaves an empty value behind it.
    if (at === text.length) values.push('');
    if (at === text.length) break;
  }
  return values;
}

function quoted(text: string, start: number, quote: string): { readonly value: string; readonly end: number } {
  let value = '';
  for (let at = start; ;) {
    const found = text.indexOf(quote, at);
    if (found < 0) throw illegalArgument('Unmatched quote');
    value += text.slice(at, found);
    if (text.charAt(found + 1) !== quote) return { value, end: found + 1 };
    value += quote;
    at = found + 2;
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text.charAt(at) === ' ' || text.charAt(at) === '\t') at++;
  return at;
}
