/** `kv`: fields from pairs of names and values. */
import { illegalArgument } from '../../base/errors.js';
import { castError } from '../document/ingest-document.js';
import { PARTS_MAX } from '../limits.js';
import { LinearRegex } from '../../base/linear-regex.js';
import { defineProcessor } from '../processor.js';
import { textTemplate } from '../templates.js';
import { splitText } from './lists.js';
import { valueAt } from './field-values.js';

export const kv = defineProcessor('kv', (options) => {
  const field = textTemplate(options.text('field'));
  const target = options.optionalText('target_field');
  const targetPath = target === undefined ? undefined : textTemplate(target);
  const fieldSplit = new LinearRegex(options.text('field_split'));
  const valueSplit = new LinearRegex(options.text('value_split'));
  const prefix = options.optionalText('prefix', '');
  const trimKey = trimmer(options.optionalText('trim_key'));
  const trimValue = trimmer(options.optionalText('trim_value'));
  const stripBrackets = options.flag('strip_brackets');
  const included = options.optionalTexts('include_keys');
  const excluded = options.optionalTexts('exclude_keys') ?? [];
  const ignoreMissing = options.flag('ignore_missing');
  const strip = stripBrackets ? stripped : (text: string): string => text;
  return (document) => {
    const path = field(document);
    if (ignoreMissing && (path === '' || !document.has(path))) return;
    const text = valueAt(document, path, ignoreMissing);
    if (text === null) {
      if (ignoreMissing) return;
      throw illegalArgument(`field [${path}] is null, cannot extract key-value pairs.`);
    }
    if (typeof text !== 'string') throw castError(path, text, 'java.lang.String');
    const start = targetPath === undefined ? '' : `${targetPath(document)}.`;
    const pairs = splitText(text, fieldSplit, false);
    if (pairs.length > PARTS_MAX) throw illegalArgument(`field [${path}] has more than [${PARTS_MAX}] pairs`);
    for (const pair of pairs) {
      const [key, value] = splitText(pair, valueSplit, true, 2);
      if (key === undefined || value === undefined) {
        throw illegalArgument(`field [${path}] does not contain value_split [${valueSplit.source}]`);
      }
      const name = trimKey(key);
      if ((included !== undefined && !included.includes(name)) || excluded.includes(name)) continue;
      const place = `${start}${prefix}${name}`;
      const put = strip(trimValue(value));
      if (document.has(place)) document.append(place, put);
      else document.set(place, put);
    }
  };
});

/** Leaves the characters out at both ends. */
function trimmer(characters: string | undefined): (text: string) => string {
  if (characters === undefined || characters === '') return (text) => text;
  const unwanted = new Set(characters);
  return (text) => {
    let [start, end] = [0, text.length];
    while (start < end && unwanted.has(text.charAt(start))) start++;
    while (end > start && unwanted.has(text.charAt(end - 1))) end--;
    return text.slice(start, end);
  };
}

const BRACKETS = ['()', '[]', '<>', '""', "''"];

function stripped(text: string): string {
  const isWrapped = BRACKETS.some(([open = '', close = '']) => text.startsWith(open) && text.endsWith(close));
  return text.length >= 2 && isWrapped ? text.slice(1, -1) : text;
}
