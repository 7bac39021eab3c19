import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
  const shingles = {
    analyzer: { shingled: { tokenizer: 'standard', filter: ['lowercase', 'pairs'] } },
    filter: { pairs: { type: 'shingle', min_shingle_size: 2, max_shingle_size: 2 } },
  };
  await node.put('/songs', {
    settings: { number_of_shards: 3, analysis: shingles },
    mappings: {
      properties: {
        title: {
          type: 'text',
          fielddata: true,
          fields: { pairs: { type: 'text', analyzer: 'shingled' }, complete: { type: 'completion' } },
        },
        band: { type: 'completion', contexts: [{ name: 'genre', type: 'category', path: 'genre' }] },
        genre: { type: 'keyword' },
      },
    },
  });
  const songs: [string, string, Json][] = [
    ['1', 'nobel prize', { band: 'Nirvana', genre: ['rock', 'grunge'] }],
    ['2', 'nobel prize winner', { band: { input: ['Nevada', 'Never Mind'], weight: 7 }, genre: 'rock' }],
    ['3', 'the noble prize', { band: { input: 'Nena', weight: 3, contexts: { genre: 'pop' } } }],
    ['4', 'nobel peace', { n: 1 }],
  ];
  const lines = songs.map(([_id, title, more]) => [{ index: { _id } }, { title, ...more }]);
  await node.bulk('/songs/_bulk?refresh', lines.flat());
});

afterAll(async () => {
  await node.stop();
});

async function ask(suggest: unknown, path = '/songs/_search', more: Json = {}): Promise<Json> {
  return (await node.post(path, { ...more, suggest })).json();
}

function textsOf(entry: Json): string[] {
  return entry.options.map(({ text }: Json) => text);
}

describe('suggest', () => {
  it('finds near terms over all shards, with their frequencies there', async () => {
    const answer = await ask({ a: { text: 'nobl prise', term: { field: 'title', size: 1 } } });
    expect(answer.hits).toEqual({ total: { value: 0, relation: 'eq' }, max_score: null, hits: [] });
    expect(answer._shards).toEqual({ total: 3, successful: 3, skipped: 0, failed: 0 });
    expect(answer.suggest.a.map(textsOf)).toEqual([['nobel'], ['prize']]);
    expect(answer.suggest.a[1]).toMatchObject({ offset: 5, length: 5, options: [{ freq: 3, score: 0.8 }] });
  });

  it('corrects phrases, and keeps those that a query finds something for', async () => {
    const phrase = { field: 'title.pairs', gram_size: 2, confidence: 0, highlight: { pre_tag: '<', post_tag: '>' } };
    const plain = await ask({ a: { text: 'nobel prise', phrase } });
    expect(plain.suggest.a[0].options[0]).toMatchObject({ text: 'nobel prize', highlighted: 'nobel <prize>' });
    const collate = {
      query: { source: { match_phrase: { '{{field}}': '{{suggestion}}' } } },
      params: { field: 'title' },
    };
    const collated = await ask({ a: { text: 'nobel prise', phrase: { ...phrase, collate } } });
    expect(textsOf(collated.suggest.a[0])).toEqual(['nobel prize']);
    const pruned = await ask({
      a: { text: 'nobel prise', phrase: { ...phrase, collate: { ...collate, prune: true } } },
    });
    expect(pruned.suggest.a[0].options.map((option: Json) => option.collate_match)).toContain(false);
  });

  it('completes inputs by weight, in their contexts, with their documents', async () => {
    const complete = async (completion: Json, texts: Json = { prefix: 'ne' }): Promise<Json> => {
      const body = { a: { ...texts, completion: { field: 'band', ...completion } } };
      return (await ask(body, '/songs/_search?typed_keys=true', { _source: ['title'] })).suggest['completion#a'][0];
    };
    const rock = await complete({ contexts: { genre: 'rock' } });
    expect(rock.options).toEqual([
      {
        ...{ text: 'Nevada', _index: 'songs', _id: '2', _score: 7 },
        ...{ _source: { title: 'nobel prize winner' }, contexts: { genre: ['rock'] } },
      },
    ]);
    const boosted = { genre: [{ context: 'rock' }, { context: 'p', prefix: true, boost: 5 }] };
    expect(textsOf(await complete({ contexts: boosted }))).toEqual(['Nena', 'Nevada']);
    const fuzzy = await complete({ contexts: { genre: ['rock', 'pop'] }, fuzzy: { fuzziness: 1 } }, { text: 'nvana' });
    expect(textsOf(fuzzy)).toEqual([]);
    const regex = await complete({ contexts: { genre: 'grunge' } }, { regex: 'n[i].*' });
    expect(textsOf(regex)).toEqual(['Nirvana']);
  });

  it('completes multi-fields, each text once where duplicates are skipped', async () => {
    const answer = await ask({ a: { prefix: 'nobel', completion: { field: 'title.complete', size: 2 } } });
    expect(textsOf(answer.suggest.a[0])).toEqual(['nobel peace', 'nobel prize']);
    const merged = await node.post('/songs/_forcemerge?max_num_segments=1', undefined);
    expect(merged.status).toBe(200);
    const again = await ask({ a: { prefix: 'nobel', completion: { field: 'title.complete', size: 2 } } });
    expect(again.suggest).toEqual(answer.suggest);
  });

  it('is answered beside hits, by several searches and by templates', async () => {
    const suggest = { a: { text: 'nobl', term: { field: 'title', size: 1 } } };
    const beside = await ask(suggest, '/songs/_search', { query: { match_all: {} } });
    expect([beside.hits.total.value, textsOf(beside.suggest.a[0])]).toEqual([4, ['nobel']]);
    const several = await node.bulk('/songs/_msearch', [{}, { suggest }, {}, { size: 0, suggest }]);
    expect(several.json().responses.map((answer: Json) => textsOf(answer.suggest.a[0]))).toEqual([
      ['nobel'],
      ['nobel'],
    ]);
    const source = { suggest: { a: { text: '{{word}}', term: { field: 'title', size: 1 } } } };
    const made = await node.post('/songs/_search/template', { source, params: { word: 'nobl' } });
    expect(textsOf(made.json().suggest.a[0])).toEqual(['nobel']);
  });

  it('fails where the mapping has no such field, or a context is missing', async () => {
    const unmapped = await node.post('/songs/_search', { suggest: { a: { text: 'x', term: { field: 'no' } } } });
    expect(unmapped.status).toBe(400);
    expect(unmapped.json().error.root_cause[0].reason).toBe('no mapping found for field [no]');
    const bare = await node.post('/songs/_search', { suggest: { a: { prefix: 'x', completion: { field: 'band' } } } });
    expect(bare.json().error.root_cause[0].reason).toBe('Missing mandatory contexts in context query');
    const document = await node.put('/songs/_doc/9', { band: 'x' });
    expect([document.status, document.json().error.reason]).toEqual([
      400,
      'Contexts are mandatory in context enabled completion field [band]',
    ]);
  });

  it('is counted, and completion fields tell their size', async () => {
    const stats = (await node.get('/songs/_stats?fields=*')).json()._all.total;
    expect(stats.search.suggest_total).toBeGreaterThan(0);
    expect(stats.completion.fields['title.complete'].size_in_bytes).toBeGreaterThan(0);
    expect(stats.completion.size_in_bytes).toBeGreaterThan(stats.completion.fields['title.complete'].size_in_bytes);
  });
});

describe('field data of a text field', () => {
  it('lets its terms be sorted and counted, and tells what it takes', async () => {
    const before = (await node.get('/songs/_stats/fielddata?fields=title')).json()._all.total.fielddata;
    expect(before.memory_size_in_bytes).toBe(0);
    const body = { sort: [{ title: 'desc' }], aggs: { words: { terms: { field: 'title', size: 2 } } } };
    const answer = (await node.post('/songs/_search', body)).json();
    expect(answer.hits.hits.map(({ sort }: Json) => sort[0])).toEqual(['winner', 'the', 'prize', 'peace']);
    expect(answer.aggregations.words.buckets).toEqual([
      { key: 'nobel', doc_count: 3 },
      { key: 'prize', doc_count: 3 },
    ]);
    const after = (await node.get('/songs/_stats/fielddata?fields=t*')).json()._all.total.fielddata;
    expect(after.fields.title.memory_size_in_bytes).toBe(after.memory_size_in_bytes);
    expect(after.memory_size_in_bytes).toBeGreaterThan(0);
    const table = (await node.get('/_cat/fielddata/title?h=field,size&bytes=b')).text;
    expect(table.trim()).toBe(`title ${after.memory_size_in_bytes}`);
  });
});
