import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json-value.js';
import { parseMapping } from '../../src/mapping/parse.js';
import { renderMapping } from '../../src/mapping/render.js';
import { FIELD_TYPES } from '../../src/mapping/types.js';
import { contextWith, fieldOf, mappingOf, refusalOf } from './support.js';

describe('parsing and printing', () => {
  test('prints only what differs from the defaults, names sorted', () => {
    const mapping = mappingOf({
      properties: {
        title: {
          type: 'text',
          analyzer: 'english',
          norms: 'true',
          fields: { raw: { type: 'keyword', ignore_above: '256' } },
        },
        at: { type: 'date', format: 'strict_date_optional_time||epoch_millis', doc_values: false },
        address: { properties: { zip: { type: 'keyword' }, city: { type: 'keyword', store: 'false' } } },
        blob: { type: 'object', enabled: 'false' },
        rate: { type: 'scaled_float', scaling_factor: '100' },
      },
    });
    expect(renderMapping(mapping)).toEqual({
      properties: {
        address: { properties: { city: { type: 'keyword' }, zip: { type: 'keyword' } } },
        at: { type: 'date', doc_values: false },
        blob: { type: 'object', enabled: false },
        rate: { type: 'scaled_float', scaling_factor: 100 },
        title: { type: 'text', analyzer: 'english', fields: { raw: { type: 'keyword', ignore_above: 256 } } },
      },
    });
    const names = Object.keys(renderMapping(mapping)['properties'] ?? {});
    expect(names).toEqual([...names].sort());
  });

  test('root members survive', () => {
    const body = {
      dynamic: 'strict',
      _meta: { owner: 'x' },
      _routing: { required: true },
      _source: { includes: ['a.*'], excludes: ['a.b'] },
      dynamic_date_formats: ['yyyy/MM/dd'],
      dynamic_templates: [{ strings: { match_mapping_type: 'string', mapping: { type: 'keyword' } } }],
      date_detection: false,
      numeric_detection: true,
      runtime: { day: { type: 'keyword' } },
      properties: { a: { type: 'long' } },
    };
    expect(renderMapping(mappingOf(body))).toEqual(body);
  });

  test('an empty mapping prints nothing', () => {
    expect(renderMapping(mappingOf({}))).toEqual({});
    expect(renderMapping(mappingOf({ properties: {} }))).toEqual({});
  });

  test('dotted names are objects', () => {
    const dotted = mappingOf({ properties: { 'a.b.c': { type: 'long' }, a: { properties: { d: { type: 'ip' } } } } });
    expect(renderMapping(dotted)).toEqual({
      properties: { a: { properties: { b: { properties: { c: { type: 'long' } } }, d: { type: 'ip' } } } },
    });
  });

  test('a search analyzer is printed beside the analyzer it replaces', () => {
    expect(renderMapping(fieldOf({ type: 'text', search_analyzer: 'english' }))).toEqual({
      properties: { f: { type: 'text', analyzer: 'default', search_analyzer: 'english' } },
    });
    expect(renderMapping(fieldOf({ type: 'text', analyzer: 'english', search_analyzer: 'english' }))).toEqual({
      properties: { f: { type: 'text', analyzer: 'english' } },
    });
  });

  test('index-wide defaults decide what is printed', () => {
    const context = contextWith({ coerce: false });
    const mapping = fieldOf({ type: 'long', coerce: true }, context);
    expect(renderMapping(mapping, context.settings)).toEqual({ properties: { f: { type: 'long', coerce: true } } });
    expect(renderMapping(mapping)).toEqual({ properties: { f: { type: 'long' } } });
  });

  // An alias needs a field beside it.
  test.each(FIELD_TYPES.filter((type) => type !== 'alias'))('%s is a type', (type) => {
    const definition = { type, ...NEEDED[type] };
    expect(renderMapping(fieldOf(definition))).toEqual({ properties: { f: definition } });
  });
});

/** What a type cannot do without, or always shows. */
const NEEDED: Readonly<Record<string, JsonObject>> = {
  completion: {
    analyzer: 'standard',
    preserve_separators: true,
    preserve_position_increments: true,
    max_input_length: 50,
  },
  constant_keyword: { value: 'x' },
  dense_vector: {
    index: true,
    similarity: 'cosine',
    index_options: { type: 'hnsw', m: 16, ef_construction: 100 },
  },
  join: { relations: {}, eager_global_ordinals: true },
  scaled_float: { scaling_factor: 10 },
  token_count: { analyzer: 'english' },
};

describe('refusals', () => {
  test.each([
    [{ type: 'alias' }, 'Field [f] is missing required parameter [path]'],
    [
      { type: 'alias', path: 'a', copy_to: 'b' },
      'Mapping definition for [f] has unsupported parameters:  [copy_to : b]',
    ],
    [{ type: 'alias', path: 'a', fields: {} }, 'has unsupported parameters:  [fields : {}]'],
    [{ type: 'constant_keyword', copy_to: 'b' }, 'has unsupported parameters:  [copy_to : b]'],
    [{ type: 'constant_keyword', fields: {} }, 'has unsupported parameters:  [fields : {}]'],
    [{ type: 'text', index_prefixes: { min_chars: 0 } }, 'min_chars [0] must be greater than zero'],
    [{ type: 'text', index_prefixes: { max_chars: 20 } }, 'max_chars [20] must be less than 20'],
    [{ type: 'text', index_prefixes: { min_chars: 6 } }, 'min_chars [6] must be less than max_chars [5]'],
    [
      { type: 'search_as_you_type', max_shingle_size: 1 },
      '[max_shingle_size] must be at least [2] and at most [4], got [1]',
    ],
    [
      { type: 'search_as_you_type', max_shingle_size: 5 },
      '[max_shingle_size] must be at least [2] and at most [4], got [5]',
    ],
  ])('%j: %s', (definition, why) => {
    expect(() => fieldOf(definition)).toThrow(why);
  });

  test.each([
    [{ type: 'text', foo: 1 }, 'unknown parameter [foo] on mapper [f] of type [text]'],
    [{ type: 'keyword', analyzer: 'english' }, 'unknown parameter [analyzer] on mapper [f] of type [keyword]'],
    [{ type: 'geo_hex' }, 'No handler for type [geo_hex] declared on field [f]'],
    [{ type: 'geo_point', null_value: '91,0' }, 'Error parsing [null_value] on field [f]: [91,0] is not on the globe'],
    [
      { type: 'geo_point', null_value: 'a' },
      'Error parsing [null_value] on field [f]: unsupported symbol [a] in geohash [a]',
    ],
    [{ type: 'histogram', copy_to: 'g' }, '[copy_to] is not supported on mapper [f] of type [histogram]'],
    [{ type: 'made_up' }, 'No handler for type [made_up] declared on field [f]'],
    [{ store: true }, 'No type specified for field [f]'],
    [{ type: 'object', foo: 'bar' }, 'Mapping definition for [f] has unsupported parameters:  [foo : bar]'],
    [{ type: 'text', analyzer: 'none' }, 'analyzer [none] has not been configured in mappings for field [f]'],
    [{ type: 'keyword', normalizer: 'none' }, 'normalizer [none] not found for field [f]'],
    [
      { type: 'text', index_options: 'x' },
      'Unknown value [x] for field [index_options] - accepted values are [positions, docs, freqs, offsets]',
    ],
    [{ type: 'text', similarity: 'own' }, 'Unknown Similarity type [own] for field [f]'],
    [{ type: 'text', store: null }, '[store] on mapper [f] of type [text] must not have a [null] value'],
    [{ type: 'scaled_float' }, 'Field [scaling_factor] is required'],
    [
      { type: 'byte', null_value: 300 },
      'Error parsing [null_value] on field [f]: Value [300] is out of range for a byte',
    ],
    [{ type: 'ip', null_value: 'x' }, "Error parsing [null_value] on field [f]: 'x' is not an IP string literal."],
    [
      { type: 'date', format: 'yyyy-bb' },
      'Error parsing [format] on field [f]: Invalid format: [yyyy-bb]: Unknown pattern letter: b',
    ],
    [
      { type: 'text', fields: { a: { type: 'text', fields: { b: { type: 'text' } } } } },
      'Encountered a multi-field [a] which itself contains a multi-field. Defining chained multi-fields is not supported.',
    ],
    [{ type: 'text', fields: { a: { type: 'object' } } }, 'Type [object] cannot be used in multi field'],
    [{ type: 'text', meta: { a: 1 } }, '[meta] values can only be strings, but got [1] for field [f]'],
  ])('%j', (definition, reason) => {
    expect(refusalOf(() => fieldOf(definition))).toBe(`mapper_parsing_exception: ${reason}`);
  });

  test.each([
    [{ type: 'text', index: 'yes' }, 'Failed to parse value [yes] as only [true] or [false] are allowed.'],
    [{ type: 'scaled_float', scaling_factor: -1 }, '[scaling_factor] must be a positive number, got [-1]'],
    [
      { type: 'text', index_options: 'docs', position_increment_gap: 5 },
      'Cannot set position_increment_gap on field [f] without positions enabled',
    ],
    [
      { type: 'text', fields: { a: { type: 'keyword', copy_to: 'b' } } },
      '[copy_to] may not be used to copy from a multi-field: [f.a]',
    ],
  ])('%j', (definition, reason) => {
    expect(refusalOf(() => fieldOf(definition))).toBe(`illegal_argument_exception: ${reason}`);
  });

  test.each([
    [
      { foo: 'bar', properties: {} },
      'mapper_parsing_exception: Root mapping definition has unsupported parameters:  [foo : bar]',
    ],
    [{ _doc: { properties: {} } }, 'illegal_argument_exception: Types cannot be provided in put mapping requests'],
    [{ properties: 3 }, 'mapper_parsing_exception: properties must be a map type'],
    [
      { properties: { f: 'x' } },
      'mapper_parsing_exception: Expected map for property [fields] on field [f] but got a class java.lang.String',
    ],
    [{ properties: { '': { type: 'keyword' } } }, 'illegal_argument_exception: name cannot be empty string'],
    [{ properties: { '.': { type: 'keyword' } } }, 'mapper_parsing_exception: Invalid field name .'],
    [{ properties: { _id: { type: 'keyword' } } }, 'mapper_parsing_exception: Field [_id] is defined more than once'],
    [{ dynamic: 'sometimes' }, 'illegal_argument_exception: Could not convert [dynamic.dynamic] to boolean'],
    [
      { _source: { mode: 'synthetic' } },
      'mapper_parsing_exception: unknown parameter [mode] on metadata field [_source]',
    ],
    [
      { dynamic_date_formats: ['epoch_millis'] },
      'mapper_parsing_exception: Epoch [epoch_millis] is not supported as dynamic date format',
    ],
    [
      { runtime: { d: { type: 'long', script: { id: 'x' } } } },
      'mapper_parsing_exception: stored scripts are not supported for runtime field [d]',
    ],
    [
      {
        properties: { a: { type: 'long' }, b: { type: 'long', copy_to: 'a.x' } },
        runtime: { 'a.c': { type: 'long' } },
      },
      'illegal_argument_exception: runtime field [a.c] lies within the field [a], which is not an object',
    ],
    [
      { properties: { a: { type: 'long' }, 'a.b': { type: 'long' } } },
      "illegal_argument_exception: can't merge a non object mapping [a] with an object mapping",
    ],
  ])('%j', (body, refusal) => {
    expect(refusalOf(() => mappingOf(body))).toBe(refusal);
  });

  test('a body that is no object', () => {
    expect(refusalOf(() => parseMapping([], contextWith()))).toMatch(/^mapper_parsing_exception/);
  });

  test('copying to an object or a multi-field', () => {
    const properties = { o: { properties: {} }, t: { type: 'text', fields: { k: { type: 'keyword' } } } };
    expect(refusalOf(() => mappingOf({ properties: { ...properties, f: { type: 'text', copy_to: 'o' } } }))).toBe(
      'illegal_argument_exception: Cannot copy to field [o] since it is mapped as an object',
    );
    expect(refusalOf(() => mappingOf({ properties: { ...properties, f: { type: 'text', copy_to: ['t.k'] } } }))).toBe(
      'illegal_argument_exception: [copy_to] may not be used to copy to a multi-field: [t.k]',
    );
  });
});

describe('limits of the index', () => {
  test('total fields count objects and multi-fields', () => {
    const body = { properties: { o: { properties: { t: { type: 'text', fields: { k: { type: 'keyword' } } } } } } };
    expect(() => mappingOf(body, contextWith({ totalFieldsLimit: 3 }))).not.toThrow();
    expect(refusalOf(() => mappingOf(body, contextWith({ totalFieldsLimit: 2 })))).toBe(
      'illegal_argument_exception: Limit of total fields [2] has been exceeded',
    );
  });

  test('depth and length of names', () => {
    const body = { properties: { 'abc.de.f': { type: 'long' } } };
    expect(() => mappingOf(body, contextWith({ depthLimit: 3, fieldNameLengthLimit: 3 }))).not.toThrow();
    expect(refusalOf(() => mappingOf(body, contextWith({ depthLimit: 2 })))).toBe(
      'illegal_argument_exception: Limit of mapping depth [2] has been exceeded due to object field [abc.de]',
    );
    expect(refusalOf(() => mappingOf(body, contextWith({ fieldNameLengthLimit: 2 })))).toBe(
      'illegal_argument_exception: Field name [abc] is longer than the limit of [2] characters',
    );
  });
});
