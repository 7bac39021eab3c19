/** `fingerprint`: a hash of some fields. The two distributions of the API hash differently, and so does this. */
import { createHash } from 'node:crypto';
import { Double } from '../../base/double.js';
import { illegalArgument } from '../../base/errors.js';
import type { Options } from '../compile/options.js';
import type { IngestDocument } from '../document/ingest-document.js';
import { isMetadata } from '../document/metadata.js';
import { isInt, isObject, printValue, type IngestObject, type IngestValue } from '../document/values.js';
import { defineProcessor, type RunProcessor } from '../processor.js';

export const fingerprint = defineProcessor('fingerprint', (options, { distribution }) =>
  distribution === 'opensearch' ? ofTexts(options) : ofBytes(options),
);

const BYTES_METHODS: Readonly<Record<string, string>> = {
  MD5: 'md5',
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-512': 'sha512',
};

function ofBytes(options: Options): RunProcessor {
  const fields = [...options.texts('fields')].sort();
  if (fields.length === 0) throw options.error('fields', 'must specify at least one field');
  const target = options.optionalText('target_field', 'fingerprint');
  const salt = options.optionalText('salt', '');
  const method = options.optionalText('method', 'SHA-1');
  const ignoreMissing = options.flag('ignore_missing');
  const algorithm = Object.hasOwn(BYTES_METHODS, method) ? BYTES_METHODS[method] : undefined;
  if (algorithm === undefined) {
    const known = Object.keys(BYTES_METHODS).join(',');
    throw options.error('method', `[${method}] must be one of the supported hash methods [${known}]`);
  }
  return (document) => {
    const hash = createHash(algorithm);
    if (salt.trim() !== '') hash.update(salt);
    let found = false;
    for (const field of fields) {
      const value = document.find(field);
      if (value === null && !ignoreMissing)
        throw illegalArgument(`missing field [${field}] when calculating fingerprint`);
      if (value === null) continue;
      found = true;
      feed(value, (bytes) => hash.update(bytes));
    }
    if (found) document.set(target, hash.digest('base64'));
  };
}

const DELIMITER = Uint8Array.of(0);

function feed(value: IngestValue, update: (bytes: Uint8Array) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) feed(item, update);
  } else if (isObject(value)) {
    for (const name of Object.keys(value).sort()) {
      update(DELIMITER);
      update(Buffer.from(name, 'utf8'));
      feed(value[name] ?? null, update);
    }
  } else {
    update(DELIMITER);
    update(bytesOf(value));
  }
}

function bytesOf(value: string | number | bigint | boolean | Double | null): Uint8Array {
  if (value === null) return new Uint8Array(0);
  if (typeof value === 'string') return Buffer.from(value, 'utf8');
  if (typeof value === 'boolean') return Uint8Array.of(value ? 1 : 2);
  const bytes = Buffer.alloc(8);
  if (typeof value === 'bigint') bytes.writeBigInt64LE(BigInt.asIntN(64, value));
  else if (value instanceof Double) bytes.writeDoubleLE(value.value);
  else if (!Number.isInteger(value)) bytes.writeDoubleLE(value);
  else if (isInt(value)) return bytes.subarray(0, bytes.writeInt32LE(value));
  else bytes.writeBigInt64LE(BigInt(value));
  return bytes;
}

/** The names carry the version of the form that is hashed. */
const TEXT_METHODS: Readonly<Record<string, string>> = {
  'MD5@2.16.0': 'md5',
  'SHA-1@2.16.0': 'sha1',
  'SHA-256@2.16.0': 'sha256',
  'SHA3-256@2.16.0': 'sha3-256',
};

function ofTexts(options: Options): RunProcessor {
  const fields = names(options, 'fields');
  const excluded = names(options, 'exclude_fields');
  if (fields.length > 0 && excluded.length > 0)
    throw options.error('fields', 'either fields or exclude_fields can be set');
  const target = options.optionalText('target_field', 'fingerprint');
  const method = options.optionalText('hash_method', 'SHA-1@2.16.0');
  const ignoreMissing = options.flag('ignore_missing');
  const name = method.toUpperCase();
  const algorithm = Object.hasOwn(TEXT_METHODS, name) ? TEXT_METHODS[name] : undefined;
  if (algorithm === undefined) {
    const known = 'MD5@2.16.0, SHA-1@2.16.0, SHA-256@2.16.0 or SHA3-256@2.16.0';
    throw options.error('hash_method', `hash method must be ${known}`);
  }
  return (document) => {
    const all = fields.length > 0 ? [...new Set(fields)] : Object.keys(document.root);
    const wanted = all.filter((field) => !isMetadata(field) && !excluded.includes(field)).sort();
    const parts = wanted.map((field) => textOf(document, field, ignoreMissing)).join('');
    if (parts === '') return;
    document.set(target, `${method}:${createHash(algorithm).update(`${parts}|`).digest('base64')}`);
  };
}

function names(options: Options, property: string): readonly string[] {
  return (options.optionalList(property) ?? []).map((name) => {
    if (typeof name === 'string' && name !== '') return name;
    throw options.error(property, 'field name cannot be null nor empty');
  });
}

function textOf(document: IngestDocument, field: string, ignoreMissing: boolean): string {
  // A field with a dot in its name is found by that name, too.
  const value = Object.hasOwn(document.root, field) ? document.root[field] : undefined;
  if (value === undefined && !document.has(field)) {
    if (ignoreMissing) return '';
    throw illegalArgument(`field [${field}] doesn't exist`);
  }
  const found = value ?? document.find(field);
  const part = (name: string, text: string): string => `|${name}|${text.length}:${text}`;
  if (!isObject(found)) return part(field, printValue(found));
  return flattened(found)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, member]) => part(`${field}.${name}`, printValue(member)))
    .join('');
}

function flattened(object: IngestObject): [string, IngestValue][] {
  return Object.entries(object).flatMap(([name, value]): [string, IngestValue][] =>
    isObject(value) ? flattened(value).map(([inner, member]) => [`${name}.${inner}`, member]) : [[name, value]],
  );
}
