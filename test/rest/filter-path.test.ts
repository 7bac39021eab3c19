import { describe, expect, it } from 'vitest';
import { compileFilterPath, filterJson } from '../../src/rest/filter-path.js';

const answer = JSON.stringify({
  took: 1,
  hits: {
    total: { value: 2 },
    hits: [
      { _id: 'a', _source: { title: 't1', n: 1, 'a.b': 5 } },
      { _id: 'b', _source: { title: 't2', tags: [], deep: { title: 'x' } } },
    ],
  },
});

function filtered(patterns: string, json = answer): unknown {
  const filter = compileFilterPath(patterns.split(','));
  if (filter === undefined) throw new Error('no filter');
  return JSON.parse(filterJson(json, filter));
}

describe('filter_path', () => {
  it('keeps whole values below a path', () => {
    expect(filtered('took,hits.total')).toEqual({ took: 1, hits: { total: { value: 2 } } });
  });

  it('sees through arrays', () => {
    expect(filtered('hits.hits._id')).toEqual({ hits: { hits: [{ _id: 'a' }, { _id: 'b' }] } });
  });

  it('matches parts of one name with *', () => {
    expect(filtered('hits.t*.v*e')).toEqual({ hits: { total: { value: 2 } } });
    expect(filtered('*.*.value')).toEqual({ hits: { total: { value: 2 } } });
  });

  it('matches any number of names with **', () => {
    expect(filtered('**.title')).toEqual({
      hits: { hits: [{ _source: { title: 't1' } }, { _source: { title: 't2', deep: { title: 'x' } } }] },
    });
    expect(filtered('hits.**.value')).toEqual({ hits: { total: { value: 2 } } });
    expect(filtered('**')).toEqual(JSON.parse(answer));
  });

  it('walks a path of many stars once for each name, whatever its length', () => {
    let deep: object = { type: 'x' };
    for (let depth = 0; depth < 20; depth++) deep = { a: deep, b: { c: 1 } };
    const json = JSON.stringify(deep);
    expect(filtered(`${'**.'.repeat(1_000)}type`, json)).toEqual(filtered('**.type', json));
    expect(filtered(`${'**.*.'.repeat(18)}type`, json)).toEqual(filtered('**.type', json));
    expect(filtered(`${'**.*.'.repeat(1_000)}type`, json)).toEqual({});
    const name = 'a'.repeat(2_000);
    expect(filtered(`${'*a'.repeat(500)}b`, JSON.stringify({ [name]: 1, [`${name}b`]: 2 }))).toEqual({
      [`${name}b`]: 2,
    });
  });

  it('drops what is excluded, after keeping what is included', () => {
    expect(filtered('-hits')).toEqual({ took: 1 });
    expect(filtered('hits.hits,-**._source')).toEqual({ hits: { hits: [{ _id: 'a' }, { _id: 'b' }] } });
    expect(filtered('-hits.hits._source.t*')).toEqual({
      took: 1,
      hits: {
        total: { value: 2 },
        hits: [
          { _id: 'a', _source: { n: 1, 'a.b': 5 } },
          { _id: 'b', _source: { deep: { title: 'x' } } },
        ],
      },
    });
  });

  it('takes an escaped dot as part of a name', () => {
    expect(filtered('hits.hits._source.a\\.b')).toEqual({ hits: { hits: [{ _source: { 'a.b': 5 } }] } });
  });

  it('leaves an empty object when nothing matches', () => {
    expect(filtered('nothing.here')).toEqual({});
  });

  it('keeps numbers and strings as they were written', () => {
    const json = '{ "a" : 9007199254740993 , "b": 1.0, "c": "q\\"}{\\\\" , "d": [1 , 2 ] }';
    const filter = compileFilterPath(['a', 'b', 'c', 'd']);
    expect(filter && filterJson(json, filter)).toBe('{"a":9007199254740993,"b":1.0,"c":"q\\"}{\\\\","d":[1 , 2 ]}');
  });
});
