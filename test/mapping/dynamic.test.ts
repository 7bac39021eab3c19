import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json-value.js';
import { applyDynamicUpdates } from '../../src/mapping/dynamic.js';
import { findTemplate } from '../../src/mapping/dynamic-templates.js';
import { renderMapping } from '../../src/mapping/render.js';
import type { UnmappedField } from '../../src/mapping/types.js';
import { contextWith, mappingOf, refusalOf } from './support.js';

function extended(body: JsonObject, ...report: UnmappedField[]): JsonObject {
  return renderMapping(applyDynamicUpdates(mappingOf(body), report, contextWith()));
}

function propertiesOf(body: JsonObject, ...report: UnmappedField[]): unknown {
  return extended(body, ...report)['properties'];
}

const string = (path: string): UnmappedField => ({ path, kind: 'string' });

describe('without templates', () => {
  test.each([
    [127, { type: 'float' }],
    [128, { type: 'dense_vector', dims: 128 }],
    [4_096, { type: 'dense_vector', dims: 4_096 }],
    [4_097, { type: 'float' }],
  ])('an array of %i fractions', (dims, expected) => {
    const report: UnmappedField = { path: 'v', kind: 'double', dims };
    expect(propertiesOf({}, report)).toEqual({ v: expect.objectContaining(expected) });
    const templates = [{ fractions: { match_mapping_type: 'double', mapping: { type: 'half_float' } } }];
    expect(propertiesOf({ dynamic_templates: templates }, report)).toEqual({ v: { type: 'half_float' } });
    expect(extended({ dynamic: 'runtime' }, report)['runtime']).toEqual({ v: { type: 'double' } });
  });

  test('each JSON kind has its type', () => {
    const slashes = 'yyyy/MM/dd HH:mm:ss||yyyy/MM/dd||epoch_millis';
    expect(
      propertiesOf(
        {},
        string('s'),
        { path: 'l', kind: 'long' },
        { path: 'd', kind: 'double' },
        { path: 'b', kind: 'boolean' },
        { path: 'iso', kind: 'date', format: 'strict_date_optional_time||epoch_millis' },
        { path: 'slashes', kind: 'date', format: slashes },
        { path: 'o', kind: 'object' },
        { path: 'o.x', kind: 'long' },
        { path: 'e', kind: 'object' },
      ),
    ).toEqual({
      b: { type: 'boolean' },
      d: { type: 'float' },
      e: { type: 'object' },
      iso: { type: 'date' },
      l: { type: 'long' },
      o: { properties: { x: { type: 'long' } } },
      s: { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } },
      slashes: { type: 'date', format: slashes },
    });
  });

  test('known fields stay, and a report with nothing new returns the same mapping', () => {
    const mapping = mappingOf({ properties: { s: { type: 'keyword' }, o: { properties: { x: { type: 'long' } } } } });
    const report = [string('s'), string('o.x'), { path: 'o', kind: 'object' } as const];
    expect(applyDynamicUpdates(mapping, report, contextWith())).toBe(mapping);
  });

  test('nothing grows inside fields, disabled objects or objects that are not dynamic', () => {
    const mapping = mappingOf({
      properties: {
        s: { type: 'keyword' },
        off: { type: 'object', enabled: false },
        deaf: { type: 'object', dynamic: false, properties: { hears: { type: 'object', dynamic: true } } },
      },
    });
    const report = [string('s.x'), string('off.x'), string('deaf.x')];
    expect(applyDynamicUpdates(mapping, report, contextWith())).toBe(mapping);
    const after = applyDynamicUpdates(mapping, [{ path: 'deaf.hears.x', kind: 'long' }], contextWith());
    expect(renderMapping(after)['properties']).toMatchObject({
      deaf: { properties: { hears: { properties: { x: { type: 'long' } } } } },
    });
  });

  test('the limit of total fields holds', () => {
    const context = contextWith({ totalFieldsLimit: 2 });
    expect(refusalOf(() => applyDynamicUpdates(mappingOf({}), [string('a'), string('b')], context))).toBe(
      'illegal_argument_exception: Limit of total fields [2] has been exceeded',
    );
  });

  test('dynamic: runtime makes runtime fields with full paths', () => {
    expect(
      extended(
        { dynamic: 'runtime', properties: { o: { type: 'object', dynamic: true } } },
        { path: 'n', kind: 'object' },
        string('n.s'),
        { path: 'd', kind: 'date', format: 'yyyy/MM/dd' },
        { path: 'e', kind: 'date', format: 'strict_date_optional_time||epoch_millis' },
        { path: 'o.l', kind: 'long' },
      ),
    ).toEqual({
      dynamic: 'runtime',
      runtime: { d: { type: 'date', format: 'yyyy/MM/dd' }, e: { type: 'date' }, 'n.s': { type: 'keyword' } },
      properties: { o: { dynamic: 'true', properties: { l: { type: 'long' } } } },
    });
  });
});

describe('dynamic templates', () => {
  const templates = (...bodies: JsonObject[]): JsonObject => ({
    dynamic_templates: bodies.map((body, index) => ({ [`t${index}`]: body })),
  });

  test('the first that fits decides', () => {
    const body = templates(
      { match: 'ip_*', unmatch: '*_text', mapping: { type: 'ip' } },
      { path_match: 'o.*.id', mapping: { type: 'keyword' } },
      { match_mapping_type: 'string', match: ['a*', 'b*'], mapping: { type: 'keyword', ignore_above: 5 } },
      { match: '^l\\d+$', match_pattern: 'regex', mapping: { type: 'long' } },
      { match_mapping_type: '*', path_unmatch: 'free.*', mapping: { type: '{dynamic_type}', store: true } },
    );
    expect(
      propertiesOf(
        body,
        string('ip_a'),
        string('ip_text'),
        string('o.p.id'),
        string('apple'),
        { path: 'bat', kind: 'long' },
        string('l12'),
        string('free.x'),
      ),
    ).toEqual({
      apple: { type: 'keyword', ignore_above: 5 },
      bat: { type: 'long', store: true },
      free: { properties: { x: { type: 'text', fields: { keyword: { type: 'keyword', ignore_above: 256 } } } } },
      ip_a: { type: 'ip' },
      ip_text: { type: 'text', store: true },
      l12: { type: 'long' },
      o: { properties: { p: { properties: { id: { type: 'keyword' } } } } },
    });
  });

  test('placeholders and dates', () => {
    const body = templates(
      { match_mapping_type: 'date', mapping: { store: true } },
      { match: '*', mapping: { type: 'keyword', copy_to: 'all_{name}', meta: { kind: '{dynamic_type}' } } },
    );
    expect(propertiesOf(body, { path: 'd', kind: 'date', format: 'yyyy' }, string('s'))).toEqual({
      d: { type: 'date', format: 'yyyy', store: true },
      s: { type: 'keyword', copy_to: ['all_s'], meta: { kind: 'text' } },
    });
  });

  test('runtime fields have the types of their kind, or those that are said', () => {
    const body = templates(
      { match: 'h_*', runtime: {} },
      { path_match: 'o.*', match_mapping_type: ['string', 'date'], runtime: { type: 'keyword' } },
    );
    const report: UnmappedField[] = [
      string('h_s'),
      { path: 'h_l', kind: 'long' },
      { path: 'h_d', kind: 'double' },
      { path: 'h_b', kind: 'boolean' },
      { path: 'h_t', kind: 'date', format: 'yyyy/MM/dd' },
      { path: 'h_o', kind: 'object' },
      { path: 'o', kind: 'object' },
      { path: 'o.t', kind: 'date', format: 'yyyy/MM/dd' },
      { path: 'o.l', kind: 'long' },
    ];
    const { runtime, properties } = extended(body, ...report);
    expect(runtime).toEqual({
      h_s: { type: 'keyword' },
      h_l: { type: 'long' },
      h_d: { type: 'double' },
      h_b: { type: 'boolean' },
      h_t: { type: 'date', format: 'yyyy/MM/dd' },
      'o.t': { type: 'keyword' },
    });
    expect(properties).toEqual({ h_o: { type: 'object' }, o: { properties: { l: { type: 'long' } } } });
  });

  test('objects can be mapped as something else, and their members are then left alone', () => {
    const body = templates({
      match_mapping_type: 'object',
      match: 'raw*',
      mapping: { type: 'object', enabled: false },
    });
    expect(propertiesOf(body, { path: 'raw1', kind: 'object' }, string('raw1.x'))).toEqual({
      raw1: { type: 'object', enabled: false },
    });
  });

  test.each([
    [
      { mapping: {} },
      'mapper_parsing_exception: template must have match, path_match or match_mapping_type set {mapping={}}',
    ],
    [{ match: 'x' }, 'mapper_parsing_exception: template [t0] must have either mapping or runtime set'],
    [
      { match: 'x', mapping: {}, runtime: {} },
      'mapper_parsing_exception: mapping and runtime cannot be both specified in the same dynamic template [t0]',
    ],
    [
      { match_mapping_type: 'object', runtime: {} },
      'mapper_parsing_exception: Dynamic template [t0] defines a runtime field but type [object] is not supported as runtime field',
    ],
    [{ match: 'x', foo: 1, mapping: {} }, 'illegal_argument_exception: Illegal dynamic template parameter: [foo]'],
    [
      { match_mapping_type: 'int', mapping: {} },
      'illegal_argument_exception: No field type matched on [int], possible values are [object, string, long, double, boolean, date, binary]',
    ],
    [
      { match: 'x', match_pattern: 'glob', mapping: {} },
      'illegal_argument_exception: No matching pattern matched on [glob]',
    ],
    [
      { match: '(', match_pattern: 'regex', mapping: {} },
      'illegal_argument_exception: Pattern [(] of type [regex] is invalid. Cannot create dynamic template [t0].',
    ],
  ])('%j is refused', (template, refusal) => {
    expect(refusalOf(() => mappingOf(templates(template)))).toBe(refusal);
  });

  test('a regex takes time in proportion to the name, and what can not be matched so is refused', () => {
    const body = templates({ match: '(a+)+b|(x|x)*y', match_pattern: 'regex', mapping: { type: 'short' } });
    const typeOf = (path: string): unknown => propertiesOf(body, { path, kind: 'long' });
    for (const name of [`${'a'.repeat(5_000)}c`, 'x'.repeat(5_000), `-${'a'.repeat(50)}b`])
      expect(typeOf(name)).toEqual({ [name]: { type: 'long' } });
    expect(typeOf('aab')).toEqual({ aab: { type: 'short' } });
    const ahead = { match: '(?=a)a', match_pattern: 'regex', mapping: {} };
    expect(refusalOf(() => mappingOf(templates(ahead)))).toMatch(/Pattern \[\(\?=a\)a] of type \[regex] is invalid/);
  });

  test('a regex that an earlier version accepted matches nothing', () => {
    const kept = { name: 'kept', body: { match: '(?=a)a', match_pattern: 'regex', mapping: {} } };
    const other = { name: 'other', body: { match: 'a.b', match_pattern: 'regex', mapping: {} } };
    expect(findTemplate([kept], { path: 'a', kind: 'long' })).toBeUndefined();
    expect(findTemplate([kept, other], { path: 'a\nb', kind: 'long' })).toBe(other);
  });

  test('an invalid regex is said to be one', () => {
    const create = (): unknown => mappingOf(templates({ match: '(', match_pattern: 'regex', mapping: {} }));
    const cause: unknown = expect.objectContaining({ type: 'pattern_syntax_exception' });
    expect(create).toThrow(expect.objectContaining({ cause }));
  });

  test('a mapping that no field could have is refused at once', () => {
    const template = { match_mapping_type: 'string', mapping: { type: 'keyword', foo: 1 } };
    expect(refusalOf(() => mappingOf(templates(template)))).toMatch(
      /^illegal_argument_exception: dynamic template \[t0] has invalid content .*caused by \[unknown parameter \[foo]/,
    );
    expect(() => mappingOf(templates({ match: '*', mapping: { type: 'text', analyzer: '{name}' } }))).not.toThrow();
    const composite = { type: 'composite', script: '', fields: { a: { type: 'long' } } };
    expect(refusalOf(() => mappingOf(templates({ match: 'x', runtime: composite })))).toMatch(/of type \[composite]/);
    expect(refusalOf(() => mappingOf(templates({ match: 'x', runtime: { type: 'text' } })))).toMatch(
      /caused by \[No handler for type \[text] declared on runtime field/,
    );
  });
});
