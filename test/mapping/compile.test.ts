import { expect, test } from 'vitest';
import { compileMapping } from '../../src/mapping/compile.js';
import { checkDateFormat } from '../../src/mapping/date-format.js';
import { contextWith, mappingOf, refusalOf } from './support.js';

test('defaults are resolved and paths are full', () => {
  const context = contextWith({ coerce: false, depthLimit: 7 });
  const mapping = mappingOf(
    {
      dynamic: 'strict',
      properties: {
        t: { type: 'text', fields: { k: { type: 'keyword', ignore_above: 9 } }, copy_to: 'o.d' },
        o: { dynamic: 'false', properties: { d: { type: 'date' }, i: { type: 'object' } } },
        n: { type: 'long', null_value: -1 },
      },
    },
    context,
  );
  const spec = compileMapping(mapping, 3, context.settings);
  expect(spec).toMatchObject({
    version: 3,
    dynamic: 'strict',
    date_detection: true,
    source_enabled: true,
    depth_limit: 7,
  });
  expect(spec.objects).toEqual([
    { path: 'o', dynamic: 'false', enabled: true },
    { path: 'o.i', dynamic: 'false', enabled: true },
  ]);
  const byName = Object.fromEntries(spec.fields.map((field) => [field.name, field]));
  expect(Object.keys(byName).sort()).toEqual(['n', 'o.d', 't', 't.k']);
  expect(byName['t']).toMatchObject({
    type: 'text',
    doc_values: false,
    norms: true,
    index_options: 'positions',
    position_increment_gap: 100,
    analyzer: null,
    copy_to: ['o.d'],
    parent: null,
  });
  expect(byName['t.k']).toMatchObject({
    doc_values: true,
    norms: false,
    index_options: 'docs',
    ignore_above: 9,
    parent: 't',
  });
  expect(byName['n']).toMatchObject({ coerce: false, null_value: -1 });
  expect(byName['o.d']).toMatchObject({ format: 'strict_date_optional_time||epoch_millis' });
});

test('a disabled root and runtime fields', () => {
  const mapping = mappingOf({ enabled: false, runtime: { r: { type: 'date', format: 'yyyy' } } });
  const spec = compileMapping(mapping, 1, contextWith().settings);
  expect(spec.objects).toEqual([{ path: '', dynamic: 'true', enabled: false }]);
  expect(spec.fields).toMatchObject([{ name: 'r', type: 'date', format: 'yyyy', index: true, doc_values: true }]);
});

test.each([
  'strict_date',
  'epoch_second',
  'yyyy-MM-dd||epoch_millis',
  "dd/MMM/yyyy 'at' HH''mm[ XXX]",
  'strict_week_date',
])('%s is a date format', (format) => {
  expect(() => {
    checkDateFormat(format);
  }).not.toThrow();
});

test.each([
  ['yyyy]', 'Invalid format: [yyyy]]: Pattern invalid as it contains ] without previous ['],
  ["'open", "Invalid format: ['open]: Pattern ends with an incomplete string literal"],
  ['mmm', 'Invalid format: [mmm]: Too many pattern letters: m'],
  ['VVV', 'Invalid format: [VVV]: Pattern letter count must be 2: V'],
  ['yyyy{', "Invalid format: [yyyy{]: Pattern includes reserved character: '{'"],
  ['yyyy||', 'No date pattern provided'],
])('%s is not', (format, reason) => {
  expect(
    refusalOf(() => {
      checkDateFormat(format);
    }),
  ).toBe(`illegal_argument_exception: ${reason}`);
});

test('special cases of types are fields of the type that holds their values', () => {
  const mapping = mappingOf({
    properties: {
      a: { type: 'alias', path: 'k' },
      k: { type: 'constant_keyword', value: 'x' },
      m: { type: 'match_only_text' },
      s: { type: 'search_as_you_type', max_shingle_size: 2 },
      c: { type: 'token_count', analyzer: 'english', enable_position_increments: false },
      w: { type: 'wildcard' },
    },
  });
  const spec = compileMapping(mapping, 1, contextWith().settings);
  expect(spec.aliases).toEqual([{ name: 'a', path: 'k' }]);
  expect(spec.fields).toMatchObject([
    { name: 'k', type: 'keyword', declared_type: 'constant_keyword', constant: 'x', index: true, doc_values: true },
    { name: 'm', type: 'text', declared_type: 'match_only_text', norms: false, index_options: 'positions' },
    { name: 's', type: 'text', declared_type: 'search_as_you_type', shingle: null },
    { name: 's._2gram', type: 'text', shingle: { size: 2, prefixes: false }, parent: 's' },
    {
      name: 's._index_prefix',
      declared_type: 'prefix',
      norms: false,
      shingle: { size: 2, prefixes: true },
      parent: 's',
    },
    { name: 'c', type: 'integer', token_count: { position_increments: false }, analyzer: 'english' },
    { name: 'w', type: 'keyword', declared_type: 'wildcard', index: true, doc_values: true },
  ]);
});

test('an alias leads to a field', () => {
  const refused = (path: string) =>
    refusalOf(() =>
      mappingOf({ properties: { a: { type: 'alias', path }, b: { type: 'alias', path: 'k' }, k: { type: 'long' } } }),
    );
  expect(refused('zzz')).toContain('an alias must refer to an existing field in the mappings.');
  expect(refused('a')).toContain('an alias cannot refer to itself.');
  expect(refused('b')).toContain('an alias cannot refer to another alias.');
});
