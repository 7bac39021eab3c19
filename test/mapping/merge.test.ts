import { describe, expect, test } from 'vitest';
import { renderMapping } from '../../src/mapping/render.js';
import { fieldOf, mappingOf, refusalOf, updated } from './support.js';

describe('updates that are allowed', () => {
  test('add fields, objects and multi-fields', () => {
    const before = mappingOf({ properties: { t: { type: 'text' }, o: { properties: { a: { type: 'long' } } } } });
    const after = updated(before, {
      properties: {
        t: { type: 'text', fields: { raw: { type: 'keyword' } } },
        o: { properties: { b: { type: 'ip' } } },
        n: { type: 'date' },
      },
    });
    expect(renderMapping(after)).toEqual({
      properties: {
        n: { type: 'date' },
        o: { properties: { a: { type: 'long' }, b: { type: 'ip' } } },
        t: { type: 'text', fields: { raw: { type: 'keyword' } } },
      },
    });
    expect(renderMapping(before)).toEqual({
      properties: { o: { properties: { a: { type: 'long' } } }, t: { type: 'text' } },
    });
  });

  test('change what may change, and take back what is not repeated', () => {
    const before = fieldOf({ type: 'keyword', ignore_above: 10, meta: { bar: 'baz' } });
    const after = updated(before, { properties: { f: { type: 'keyword', ignore_above: 20, meta: { baz: 'quux' } } } });
    expect(renderMapping(after)).toEqual({
      properties: { f: { type: 'keyword', ignore_above: 20, meta: { baz: 'quux' } } },
    });
    expect(renderMapping(updated(after, { properties: { f: { type: 'keyword' } } }))).toEqual({
      properties: { f: { type: 'keyword' } },
    });
    const text = updated(fieldOf({ type: 'text' }), {
      properties: { f: { type: 'text', search_analyzer: 'english', norms: false } },
    });
    expect(renderMapping(text)).toEqual({
      properties: { f: { type: 'text', norms: false, analyzer: 'default', search_analyzer: 'english' } },
    });
  });

  test('root members are replaced when given and kept when not', () => {
    const before = mappingOf({
      dynamic: 'false',
      _meta: { a: 1 },
      date_detection: false,
      _routing: { required: true },
    });
    const after = updated(before, { _meta: { b: 2 }, dynamic: true });
    expect(renderMapping(after)).toEqual({
      dynamic: 'true',
      _meta: { b: 2 },
      date_detection: false,
      _routing: { required: true },
    });
  });

  test('an update that changes nothing returns the same mapping', () => {
    const body = {
      properties: { f: { type: 'text', analyzer: 'english' }, o: { properties: { x: { type: 'long' } } } },
    };
    const mapping = mappingOf(body);
    expect(updated(mapping, body)).toBe(mapping);
    expect(updated(mapping, {})).toBe(mapping);
  });
});

describe('updates that are refused', () => {
  test.each([
    [{ type: 'text' }, { type: 'keyword' }, 'mapper [f] cannot be changed from type [text] to [keyword]'],
    [
      { type: 'text' },
      { type: 'text', analyzer: 'english' },
      'Mapper for [f] conflicts with existing mapper:\n\tCannot update parameter [analyzer] from [default] to [english]',
    ],
    [
      { type: 'text', analyzer: 'english', store: true },
      { type: 'text' },
      'Mapper for [f] conflicts with existing mapper:\n\tCannot update parameter [store] from [true] to [false]\n\tCannot update parameter [analyzer] from [english] to [default]',
    ],
    [
      { type: 'text', norms: false },
      { type: 'text' },
      'Mapper for [f] conflicts with existing mapper:\n\tCannot update parameter [norms] from [false] to [true]',
    ],
    [
      { type: 'date' },
      { type: 'date', format: 'yyyy' },
      'Mapper for [f] conflicts with existing mapper:\n\tCannot update parameter [format] from [strict_date_optional_time||epoch_millis] to [yyyy]',
    ],
    [
      { type: 'keyword' },
      { type: 'keyword', null_value: 'x' },
      'Mapper for [f] conflicts with existing mapper:\n\tCannot update parameter [null_value] from [null] to [x]',
    ],
    [{ type: 'text' }, { properties: {} }, "can't merge a non object mapping [f] with an object mapping"],
    [{ properties: {} }, { type: 'text' }, "can't merge a non object mapping [f] with an object mapping"],
    [
      { type: 'object' },
      { type: 'object', enabled: false },
      "the [enabled] parameter can't be updated for the object mapping [f]",
    ],
    [
      { type: 'text', fields: { k: { type: 'keyword' } } },
      { type: 'text', fields: { k: { type: 'long' } } },
      'mapper [f.k] cannot be changed from type [keyword] to [long]',
    ],
  ])('%j to %j', (before, after, reason) => {
    const current = fieldOf(before);
    expect(refusalOf(() => updated(current, { properties: { f: after } }))).toBe(
      `illegal_argument_exception: ${reason}`,
    );
  });

  test('metadata fields and runtime fields', () => {
    const current = mappingOf({ runtime: { r: { type: 'long' } }, properties: { f: { type: 'long' } } });
    expect(refusalOf(() => updated(current, { _source: { enabled: false } }))).toBe(
      'illegal_argument_exception: Mapper for [_source] conflicts with existing mapper:\n\tCannot update parameter [enabled] from [true] to [false]',
    );
    expect(refusalOf(() => updated(current, { _routing: { required: true } }))).toMatch(
      /Cannot update parameter \[required]/,
    );
    expect(refusalOf(() => updated(current, { runtime: { new: { type: 'long' } } }))).toMatch(
      /runtime field \[new] cannot be added/,
    );
    expect(refusalOf(() => updated(current, { runtime: { r: { type: 'keyword' } } }))).toMatch(/cannot be changed/);
  });

  test('null takes a runtime field out', () => {
    const script = { source: 'emit(1)' };
    const current = mappingOf({
      runtime: { a: { type: 'long', script }, b: { type: 'long', script }, r: { type: 'long' } },
    });
    const after = updated(current, { runtime: { a: null, none: null, c: { type: 'keyword', script } } });
    expect([...after.runtime.keys()]).toEqual(['b', 'r', 'c']);
    expect(updated(after, { runtime: { none: null } })).toBe(after);
    expect(refusalOf(() => updated(current, { runtime: { r: null } }))).toBe(
      'illegal_argument_exception: runtime field [r] cannot be removed: it has no script, so its values are in the index',
    );
    expect([...mappingOf({ runtime: { gone: null } }).runtime.keys()]).toEqual([]);
  });
});
