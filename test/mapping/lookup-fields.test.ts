/** Runtime fields of type `lookup` in mappings. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json-value.js';
import { compileMapping } from '../../src/mapping/compile.js';
import { fieldCapabilities } from '../../src/mapping/field-capabilities.js';
import { renderMapping } from '../../src/mapping/render.js';
import { contextWith, mappingOf, refusalOf, updated } from './support.js';

const LOOKUP = {
  type: 'lookup',
  target_index: 'authors',
  input_field: 'author_id',
  target_field: 'id',
  fetch_fields: ['name', { field: 'joined', format: 'yyyy' }],
};
const { settings } = contextWith();

test('a definition is shown back, with its fields as objects', () => {
  const mapping = mappingOf({ runtime: { author: LOOKUP } });
  const shown = { ...LOOKUP, fetch_fields: [{ field: 'name' }, { field: 'joined', format: 'yyyy' }] };
  expect(renderMapping(mapping)).toEqual({ runtime: { author: shown } });
  expect(updated(mapping, { runtime: { author: shown } })).toBe(mapping);
});

test('it is compiled for searches, and documents are not indexed with it', () => {
  const { runtime, fields } = compileMapping(mappingOf({ runtime: { author: LOOKUP } }), 1, settings);
  const { type: _type, ...parameters } = LOOKUP;
  const lookup = { ...parameters, fetch_fields: [{ field: 'name' }, { field: 'joined', format: 'yyyy' }] };
  expect(runtime).toEqual([{ name: 'author', lookup }]);
  expect(fields).toMatchObject([{ name: 'author', type: 'keyword', index: false, doc_values: false }]);
  const hiding = mappingOf({ properties: { author: { type: 'long' } }, runtime: { author: LOOKUP } });
  expect(compileMapping(hiding, 1, settings).fields).toMatchObject([{ name: 'author', type: 'long', index: true }]);
});

test('its capabilities', () => {
  const mapping = mappingOf({ runtime: { author: LOOKUP } });
  const found = fieldCapabilities(mapping, settings).find(({ name }) => name === 'author');
  expect(found).toMatchObject({ type: 'lookup', searchable: false, aggregatable: false });
});

test('it comes, changes and goes at any time', () => {
  const first = mappingOf({ properties: { f: { type: 'long' } } });
  const second = updated(first, { runtime: { author: LOOKUP } });
  const third = updated(second, { runtime: { author: { ...LOOKUP, target_index: 'people' } } });
  expect(third.runtime.get('author')?.lookup?.targetIndex).toBe('people');
  expect(updated(third, { runtime: { author: null } }).runtime.size).toBe(0);
});

describe('refused', () => {
  const { fetch_fields: _fields, ...names } = LOOKUP;
  const without = (name: keyof typeof LOOKUP): JsonObject => ({ ...LOOKUP, [name]: undefined });
  test.each([
    [without('target_index'), 'illegal_argument_exception: [target_index] parameter must be specified'],
    [{ ...LOOKUP, target_index: '' }, 'illegal_argument_exception: [target_index] parameter must be specified'],
    [without('input_field'), 'illegal_argument_exception: [input_field] parameter must be specified'],
    [without('target_field'), 'illegal_argument_exception: [target_field] parameter must be specified'],
    [
      { ...LOOKUP, input_field: 'author' },
      "illegal_argument_exception: lookup field [author] can't use input from itself",
    ],
    [names, 'mapper_parsing_exception: [fetch_fields] parameter must not be empty'],
    [{ ...names, fetch_fields: [] }, 'mapper_parsing_exception: [fetch_fields] parameter must not be empty'],
    [
      { ...names, fetch_fields: 'name' },
      'mapper_parsing_exception: [fetch_fields] of runtime field [author] must be an array, but is [name]',
    ],
    [{ ...names, fetch_fields: [1] }, 'mapper_parsing_exception: unexpected value [1] for [fetch_fields] parameter'],
    [
      { ...names, fetch_fields: [{ format: 'yyyy' }] },
      'mapper_parsing_exception: [field] parameter of [fetch_fields] must be provided',
    ],
    [
      { ...names, fetch_fields: [{ field: 'name', include_unmapped: true }] },
      'mapper_parsing_exception: unknown parameter [include_unmapped] of [fetch_fields]',
    ],
    [
      { ...LOOKUP, script: 'emit(1)' },
      'mapper_parsing_exception: unknown parameter [script] on runtime field [author] of type [lookup]',
    ],
    [
      { ...LOOKUP, format: 'yyyy' },
      'mapper_parsing_exception: unknown parameter [format] on runtime field [author] of type [lookup]',
    ],
    [
      { ...LOOKUP, target_field: null },
      'mapper_parsing_exception: [target_field] on runtime field [author] of type [lookup] must not have a [null] value',
    ],
    [
      { type: 'composite', script: 'emit([:])', fields: { a: LOOKUP } },
      'mapper_parsing_exception: runtime field [author.a] of type [lookup] cannot be part of a composite field',
    ],
  ])('%j', (definition, refusal) => {
    expect(refusalOf(() => mappingOf({ runtime: { author: definition } }))).toBe(refusal);
  });
});
