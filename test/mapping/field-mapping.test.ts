import { expect, test } from 'vitest';
import { fieldMapping } from '../../src/mapping/field-mapping.js';
import { DEFAULT_MAPPING_SETTINGS } from '../../src/mapping/types.js';
import { simpleMatch } from '../../src/mapping/wildcard.js';
import { mappingOf } from './support.js';

const mapping = mappingOf({
  properties: {
    t1: { type: 'text', fields: { raw: { type: 'keyword' } } },
    obj: { properties: { t1: { type: 'text' }, i_t1: { type: 'long' } } },
  },
});
const options = { includeDefaults: false, settings: DEFAULT_MAPPING_SETTINGS };

test('fields are found by patterns on their full names', () => {
  expect(Object.keys(fieldMapping(mapping, ['*'], options))).toEqual(['obj.i_t1', 'obj.t1', 't1', 't1.raw']);
  expect(Object.keys(fieldMapping(mapping, ['*t1'], options))).toEqual(['obj.i_t1', 'obj.t1', 't1']);
  expect(Object.keys(fieldMapping(mapping, ['obj.i_*', 'none'], options))).toEqual(['obj.i_t1']);
  expect(fieldMapping(mapping, ['obj.i_t1'], options)).toEqual({
    'obj.i_t1': { full_name: 'obj.i_t1', mapping: { i_t1: { type: 'long' } } },
  });
});

test('defaults are printed on demand', () => {
  const found = fieldMapping(mapping, ['t1'], { ...options, includeDefaults: true });
  expect(found).toMatchObject({
    t1: {
      mapping: { t1: { type: 'text', analyzer: 'default', norms: true, store: false, index_options: 'positions' } },
    },
  });
});

test.each([
  ['*', '', true],
  ['a*b*c', 'axxbyyc', true],
  ['a*b*c', 'axxbyyd', false],
  ['a*a', 'a', false],
  ['abc', 'abc', true],
  ['ab', 'abc', false],
  ['*ab*ab*', 'xaby', false],
  ['a**b', 'ab', true],
])('%s matches %s: %s', (pattern, text, matches) => {
  expect(simpleMatch(pattern, text)).toBe(matches);
});
