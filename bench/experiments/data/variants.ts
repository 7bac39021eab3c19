/** Changes to mapping, documents and settings, one at a time: what each costs is the difference to the data as they are. */
import { isObject, type Json, type JsonObject } from '../../json.js';
import { fieldsOf, without } from './fields.js';

export interface Variant {
  readonly name: string;
  readonly mappings: JsonObject;
  readonly indexSettings: Readonly<Record<string, string | number>>;
  readonly document: (document: Json) => Json;
  /** False where documents stay as they are: nothing is parsed then. */
  readonly changesDocuments: boolean;
  /** Fields that queries may not be held against those of the data as they are. */
  readonly touched: ReadonlySet<string>;
}

export const AS_IS = 'as it is';

/** Fields whose cost is told one by one. */
const FIELDS_MAX = 10;

type ChangeOfField = (field: JsonObject, type: string) => JsonObject;

interface ChangeOfFields {
  readonly name: string;
  readonly types: ReadonlySet<string>;
  readonly change: ChangeOfField;
}

const NUMERIC: ReadonlySet<string> = new Set(['long', 'integer', 'short', 'byte', 'double', 'float', 'date']);
const TEXT: ReadonlySet<string> = new Set(['text']);

const CHANGES: readonly ChangeOfFields[] = [
  { name: 'texts without positions', types: TEXT, change: (field) => ({ ...field, index_options: 'freqs' }) },
  { name: 'texts without lengths (norms)', types: TEXT, change: (field) => ({ ...field, norms: false }) },
  {
    name: 'texts with a keyword beside them',
    types: TEXT,
    change: (field) => ({
      ...field,
      fields: {
        ...(isObject(field['fields']) ? field['fields'] : {}),
        experiment: { type: 'keyword', ignore_above: 256 },
      },
    }),
  },
  {
    name: 'texts with term vectors',
    types: TEXT,
    change: (field) => ({ ...field, term_vector: 'with_positions_offsets' }),
  },
  {
    name: 'keywords without doc values',
    types: new Set(['keyword']),
    change: (field) => ({ ...field, doc_values: false }),
  },
  { name: 'numbers and dates not indexed', types: NUMERIC, change: (field) => ({ ...field, index: false }) },
];

const SETTINGS: Readonly<Record<string, Readonly<Record<string, string | number>>>> = {
  'codec best_compression': { 'index.codec': 'best_compression' },
  'translog asynchronous': { 'index.translog.durability': 'async' },
  'no scheduled refresh': { 'index.refresh_interval': '-1' },
};

const WITHOUT = 'without ';

/** Names of all changes that a mapping allows, the data as they are first. */
export function variantsOf(mappings: JsonObject): readonly string[] {
  const fields = fieldsOf(mappings);
  const types = new Set(fields.map(({ type }) => type));
  const properties = isObject(mappings['properties']) ? Object.keys(mappings['properties']) : [];
  return [
    AS_IS,
    ...(properties.length > 1 ? properties.slice(0, FIELDS_MAX).map((name) => `${WITHOUT}${name}`) : []),
    ...CHANGES.filter((change) => [...change.types].some((type) => types.has(type))).map(({ name }) => name),
    ...Object.keys(SETTINGS),
  ];
}

/** Throws where there is none of that name. */
export function variantOf(name: string, mappings: JsonObject): Variant {
  const same = { name, mappings, indexSettings: {}, document: (document: Json) => document, changesDocuments: false };
  const nothing: Variant = { ...same, touched: new Set() };
  if (name === AS_IS) return nothing;
  const settings = SETTINGS[name];
  if (settings !== undefined) return { ...nothing, indexSettings: settings };
  if (name.startsWith(WITHOUT)) return withoutField(nothing, name.slice(WITHOUT.length));
  const change = CHANGES.find((each) => each.name === name);
  if (change === undefined) throw new Error(`no change of the data is called [${name}]`);
  const touched = new Set(
    fieldsOf(mappings)
      .filter(({ type }) => change.types.has(type))
      .map(({ path }) => path),
  );
  return { ...nothing, mappings: changed(mappings, change), touched };
}

function withoutField(same: Variant, field: string): Variant {
  const { properties, ...rest } = same.mappings;
  const kept = isObject(properties) ? Object.entries(properties).filter(([name]) => name !== field) : [];
  const touched = fieldsOf(same.mappings).filter(({ path }) => path === field || path.startsWith(`${field}.`));
  return {
    ...same,
    mappings: { ...rest, properties: Object.fromEntries(kept) },
    document: (document) => without(document, field),
    changesDocuments: true,
    touched: new Set(touched.map(({ path }) => path)),
  };
}

function changed(mappings: JsonObject, { types, change }: ChangeOfFields): JsonObject {
  const properties = mappings['properties'];
  if (!isObject(properties)) return mappings;
  const entries = Object.entries(properties).map(([name, field]): [string, Json] => {
    if (!isObject(field)) return [name, field];
    const type = typeof field['type'] === 'string' ? field['type'] : 'object';
    if (type === 'object' || type === 'nested') return [name, changed(field, { name, types, change })];
    return [name, types.has(type) ? change(field, type) : field];
  });
  return { ...mappings, properties: Object.fromEntries(entries) };
}
