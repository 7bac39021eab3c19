import { describe, expect, it } from 'vitest';
import {
  flattenSettings,
  renderFlat,
  renderNested,
  withIndexPrefix,
} from '../../../src/cluster/settings/flat-settings.js';

describe('flat settings', () => {
  it('takes nested and dotted keys alike and keeps values as text', () => {
    const flat = flattenSettings({ index: { number_of_shards: 3, 'blocks.write': true }, other: [1, 'a'], gone: null });
    expect([...flat]).toEqual([
      ['index.number_of_shards', '3'],
      ['index.blocks.write', 'true'],
      ['other', ['1', 'a']],
      ['gone', null],
    ]);
  });

  it('refuses a key that is given twice', () => {
    expect(() => flattenSettings({ a: { b: 1 }, 'a.b': 2 })).toThrow('duplicate settings key [a.b]');
    expect(() => withIndexPrefix(flattenSettings({ index: { hidden: 1 }, hidden: 2 }))).toThrow('[index.hidden]');
  });

  it('prints nested and flat', () => {
    const settings = new Map([
      ['index.b', '2'],
      ['index.a.x', '1'],
    ]);
    expect(renderNested(settings)).toEqual({ index: { a: { x: '1' }, b: '2' } });
    expect(Object.keys(renderFlat(settings))).toEqual(['index.a.x', 'index.b']);
  });

  it('keeps a key dotted whose beginning is a key too, and is safe from prototypes', () => {
    const settings = new Map([
      ['a', '1'],
      ['a.b', '2'],
      ['__proto__.x', '3'],
    ]);
    expect(JSON.stringify(renderNested(settings))).toBe('{"__proto__":{"x":"3"},"a":"1","a.b":"2"}');
  });
});
