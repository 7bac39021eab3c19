/** `dissect`: fields from a text by what stands between them. */
import { illegalArgument } from '../../base/errors.js';
import { defineProcessor } from '../processor.js';
import { textField } from './field-values.js';

interface Key {
  readonly name: string;
  /** `append` joins values of one name, `field` and `value` name and fill a field together, `skip` keeps nothing. */
  readonly kind: 'plain' | 'append' | 'field' | 'value' | 'skip';
  readonly order: number;
  /** `->`: what follows may be there more than once. */
  readonly isPadded: boolean;
  /** What stands behind it; empty for the last. */
  readonly delimiter: string;
}

const KEY = /%\{([^}]*?)\}/g;

export const dissect = defineProcessor('dissect', (options) => {
  const field = options.text('field');
  const pattern = options.text('pattern');
  const separator = options.optionalText('append_separator', '');
  const ignoreMissing = options.flag('ignore_missing');
  const { lead, keys } = parse(pattern);
  return (document) => {
    const text = textField(document, field, ignoreMissing, 'cannot process it.');
    if (text === undefined) return;
    const values = match(text, lead, keys);
    if (values === undefined) {
      throw illegalArgument(`Unable to find match for dissect pattern: ${pattern} against source: ${text}`);
    }
    for (const [name, value] of resolve(keys, values, separator)) document.set(name, value);
  };
});

function parse(pattern: string): { readonly lead: string; readonly keys: readonly Key[] } {
  const found = [...pattern.matchAll(KEY)];
  const invalid = (why: string): Error => illegalArgument(`Unable to parse pattern: ${pattern} Reason: ${why}`);
  if (found.length === 0) throw invalid('Unable to find any keys or delimiters.');
  const keys = found.map((match, at) => {
    const next = found[at + 1]?.index ?? pattern.length;
    return keyOf(match[1] ?? '', pattern.slice(match.index + match[0].length, next), invalid);
  });
  if (keys.slice(0, -1).some(({ delimiter }) => delimiter === '')) {
    throw invalid('a key must be separated from the next one by a delimiter');
  }
  for (const { name, kind } of keys) {
    if (kind !== 'field' && kind !== 'value') continue;
    const partners = keys.filter((key) => key.name === name && (key.kind === 'field' || key.kind === 'value'));
    if (partners.length !== 2) throw invalid(`Found invalid key/reference associations: '${name}'`);
  }
  return { lead: pattern.slice(0, found[0]?.index), keys };
}

const KINDS: Readonly<Record<string, Key['kind']>> = { '+': 'append', '*': 'field', '&': 'value', '?': 'skip' };

function keyOf(text: string, delimiter: string, invalid: (why: string) => Error): Key {
  const match = /^([+*&?]?)(.*?)(?:\/(\d{1,9}))?(->)?$/s.exec(text);
  const [, sign = '', name = '', order, padding] = match ?? [];
  const kind = name === '' ? 'skip' : (KINDS[sign] ?? 'plain');
  if (name === '' && sign !== '' && sign !== '?') throw invalid(`the key '${text}' has no name`);
  return { name, kind, order: order === undefined ? 0 : Number(order), isPadded: padding !== undefined, delimiter };
}

/** The text of each key. */
function match(text: string, lead: string, keys: readonly Key[]): readonly string[] | undefined {
  if (!text.startsWith(lead)) return undefined;
  const values: string[] = [];
  let at = lead.length;
  for (const { delimiter, isPadded } of keys) {
    const end = delimiter === '' ? text.length : text.indexOf(delimiter, at);
    if (end < 0) return undefined;
    values.push(text.slice(at, end));
    at = end + delimiter.length;
    while (isPadded && delimiter !== '' && text.startsWith(delimiter, at)) at += delimiter.length;
  }
  return at === text.length || keys.at(-1)?.delimiter === '' ? values : undefined;
}

function resolve(keys: readonly Key[], values: readonly string[], separator: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  const appended = new Map<string, { readonly order: number; readonly value: string }[]>();
  const withParts = new Set(keys.flatMap(({ name, kind }) => (kind === 'append' ? [name] : [])));
  const partners = new Map<string, number>();
  for (const [at, { name, kind }] of keys.entries()) {
    if (kind === 'value' && !partners.has(name)) partners.set(name, at);
  }
  for (const [at, key] of keys.entries()) {
    const value = values[at] ?? '';
    if (key.kind === 'append' || (key.kind === 'plain' && withParts.has(key.name))) {
      const parts = appended.get(key.name) ?? [];
      parts.push({ order: key.order, value });
      appended.set(key.name, parts);
    } else if (key.kind === 'plain') fields.set(key.name, value);
    else if (key.kind === 'field') {
      fields.set(value, values[partners.get(key.name) ?? -1] ?? '');
    }
  }
  for (const [name, parts] of appended) {
    const sorted = [...parts].sort((left, right) => left.order - right.order);
    fields.set(name, sorted.map(({ value }) => value).join(separator));
  }
  return fields;
}
