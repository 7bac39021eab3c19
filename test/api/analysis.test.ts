/** Analyzers, filters and what `_analyze` says of them, on one node. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
});

afterAll(async () => {
  await node.stop();
});

async function terms(path: string, body: unknown): Promise<string[]> {
  const answer = await node.post(path, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json().tokens.map((token: Json) => token.token as string);
}

describe('analyzers of languages', () => {
  it.each([
    ['french', "l'avion sécuritaires", ['avion', 'securitair']],
    ['german', 'die Tischler', ['tischl']],
    ['russian', 'этот километраж', ['километраж']],
    ['cjk', '多くの', ['多く', 'くの']],
    ['hindi', 'हिन्दी', ['हिंद']],
    ['turkish', 'ağacı', ['ağaç']],
  ])('%s', async (analyzer, text, expected) => {
    expect(await terms('/_analyze', { analyzer, text })).toEqual(expected);
  });

  it('are refused by name where they are missing', async () => {
    const unknown = await node.post('/_analyze', { analyzer: 'thai', text: 'x' });
    expect(unknown.status).toBe(400);
    expect(unknown.text).toContain('failed to find analyzer [thai]');
    const analysis = { analyzer: { mine: { type: 'galician' } } };
    const refused = await node.put('/refused', { settings: { analysis } });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('[galician]');
  });
});

describe('an index with its own analysis', () => {
  beforeAll(async () => {
    const analysis = {
      filter: {
        same: { type: 'synonym_graph', synonyms: ['ny, New York'] },
        parts: { type: 'word_delimiter_graph', catenate_all: true },
        both: { type: 'multiplexer', filters: ['lowercase', 'lowercase, porter_stem'] },
      },
      analyzer: {
        deutsch: { type: 'german', stem_exclusion: ['tischler'] },
        places: { tokenizer: 'whitespace', filter: ['lowercase', 'same'] },
        models: { tokenizer: 'whitespace', filter: ['parts'] },
        many: { tokenizer: 'whitespace', filter: ['both'] },
      },
    };
    const mappings = { properties: { text: { type: 'text', analyzer: 'deutsch' } } };
    expect((await node.put('/words', { settings: { analysis }, mappings })).status).toBe(200);
    await node.put('/words/_doc/1?refresh=true', { text: 'die Häuser des Tischlers' });
  });

  it('finds stems and keeps what is excluded', async () => {
    const hits = async (text: string): Promise<number> =>
      (await node.post('/words/_search', { query: { match: { text } } })).json().hits.total.value;
    expect([await hits('Haus'), await hits('tischlers'), await hits('die')]).toEqual([1, 1, 0]);
  });

  it('explains a graph with the lengths of its positions', async () => {
    const body = { analyzer: 'places', text: 'in NY', explain: true };
    const { detail } = (await node.post('/words/_analyze', body)).json();
    const [, filter] = detail.tokenfilters;
    expect(filter.name).toBe('same');
    expect(
      filter.tokens.map(({ token, position, positionLength, type }: Json) => [token, position, positionLength, type]),
    ).toEqual([
      ['in', 0, 1, 'word'],
      ['new', 1, 1, 'SYNONYM'],
      ['ny', 1, 2, 'word'],
      ['york', 2, 1, 'SYNONYM'],
    ]);
  });

  it('takes words apart and along several chains', async () => {
    expect(await terms('/words/_analyze', { analyzer: 'models', text: 'wi-fi' })).toEqual(['wifi', 'wi', 'fi']);
    expect(await terms('/words/_analyze', { analyzer: 'many', text: 'Going' })).toEqual(['Going', 'going', 'go']);
  });
});

describe('synonyms of several words', () => {
  beforeAll(async () => {
    const analysis = {
      filter: { same: { type: 'synonym_graph', synonyms: ['ny, new york'] } },
      analyzer: { places: { tokenizer: 'standard', filter: ['lowercase', 'same'] } },
    };
    const text = { type: 'text', search_analyzer: 'places' };
    const mappings = { properties: { text, title: text } };
    const settings = { analysis, number_of_shards: 1 };
    expect((await node.put('/places', { settings, mappings })).status).toBe(200);
    const texts = ['new york city', 'NY city', 'the new city of york', 'york'];
    for (const [place, value] of texts.entries()) await node.put(`/places/_doc/${place + 1}`, { text: value });
    await node.post('/places/_refresh');
  });

  const apart = { auto_generate_synonyms_phrase_query: false };
  const both = ['text', 'title'];
  const near = { match: { query: 'ny city', ordered: true, max_gaps: 0 } };

  it.each<[string, Json, string[]]>([
    ['match', { text: { query: 'ny city', operator: 'and' } }, ['1', '2']],
    ['match', { text: { query: 'new york city', operator: 'and' } }, ['1', '2']],
    ['match', { text: { query: 'ny city', operator: 'and', ...apart } }, ['1', '2', '3']],
    ['match', { text: { query: 'ny', minimum_should_match: '100%' } }, ['1', '2']],
    ['match_bool_prefix', { text: { query: 'city ny', operator: 'and' } }, ['1', '2']],
    ['match_phrase', { text: 'ny city' }, ['1', '2']],
    ['match_phrase', { text: 'new york city' }, ['1', '2']],
    ['match_phrase', { text: { query: 'city ny', slop: 3 } }, ['1', '2', '3']],
    ['match_phrase_prefix', { text: 'ny ci' }, ['1', '2']],
    ['multi_match', { query: 'ny city', fields: both, operator: 'and', type: 'cross_fields' }, ['1', '2']],
    ['multi_match', { query: 'ny', fields: both, type: 'cross_fields', ...apart }, ['1', '2', '3']],
    ['multi_match', { query: 'ny city', fields: both, type: 'phrase' }, ['1', '2']],
    ['combined_fields', { query: 'ny city', fields: both, operator: 'and' }, ['1', '2']],
    ['combined_fields', { query: 'ny city', fields: both, operator: 'and', ...apart }, ['1', '2', '3']],
    ['query_string', { query: 'ny city', fields: ['text'], default_operator: 'and' }, ['1', '2']],
    ['query_string', { query: 'ny city', fields: ['text'], default_operator: 'and', ...apart }, ['1', '2', '3']],
    ['simple_query_string', { query: '"ny city"', fields: ['text'] }, ['1', '2']],
    ['intervals', { text: near }, ['1', '2']],
  ])('%s %j', async (kind, options, expected) => {
    const answer = await node.post('/places/_search', { query: { [kind]: options } });
    expect(answer.status, answer.text).toBe(200);
    const found = answer.json().hits.hits.map((hit: Json) => hit._id as string);
    expect(found.toSorted()).toEqual(expected);
  });

  it('are refused where they have too many readings', async () => {
    const answer = await node.post('/places/_search', {
      query: { match_phrase: { text: { query: 'ny '.repeat(20), slop: 1 } } },
    });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('maxClauseCount is set to 1024');
  });
});
