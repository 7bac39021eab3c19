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
    ['turkish', 'ben ve bir bana bu kitap', ['kitap']],
    ['greek', 'και του σπίτια ζωή φως', ['σπιτ', 'ζωη', 'φωσ']],
    ['english', 'Straße', ['straße']],
    ['galician', 'a cariñosa', ['cariñ']],
    ['thai', 'การที่ได้ต้องแสดงว่างานดี ๑๒', ['แสดง', 'งาน', 'ดี', '12']],
  ])('%s', async (analyzer, text, expected) => {
    expect(await terms('/_analyze', { analyzer, text })).toEqual(expected);
  });

  it('are refused by name where they are missing', async () => {
    const unknown = await node.post('/_analyze', { analyzer: 'nori', text: 'x' });
    expect(unknown.status).toBe(400);
    expect(unknown.text).toContain('failed to find global analyzer [nori]');
    const analysis = { filter: { mine: { type: 'hunspell' } } };
    const refused = await node.put('/refused', { settings: { analysis } });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('[hunspell]');
  });
});

describe('an index with its own analysis', () => {
  beforeAll(async () => {
    const analysis = {
      filter: {
        same: { type: 'synonym_graph', synonyms: ['ny, New York'] },
        sets: {
          type: 'synonym',
          format: 'wordnet',
          synonyms: ["s(100000001,1,'abstain',v,1,0).", "s(100000001,2,'refrain',v,1,0)."],
        },
        parts: { type: 'word_delimiter_graph', catenate_all: true },
        both: { type: 'multiplexer', filters: ['lowercase', 'lowercase, porter_stem'] },
      },
      analyzer: {
        deutsch: { type: 'german', stem_exclusion: ['tischler'] },
        places: { tokenizer: 'whitespace', filter: ['lowercase', 'same'] },
        sets: { tokenizer: 'whitespace', filter: ['sets'] },
        models: { tokenizer: 'whitespace', filter: ['parts'] },
        many: { tokenizer: 'whitespace', filter: ['both'] },
      },
    };
    const near = { type: 'text', position_increment_gap: 3 };
    const mappings = { properties: { text: { type: 'text', analyzer: 'deutsch' }, near, tag: { type: 'keyword' } } };
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

  it('replaces what is followed by something', async () => {
    const joined = { type: 'pattern_replace', pattern: '(\\d+)-(?=\\d)', replacement: '$1_' };
    const body = { tokenizer: 'standard', char_filter: [joined], text: 'My credit card is 123-456-789' };
    expect(await terms('/_analyze', body)).toEqual(['My', 'credit', 'card', 'is', '123_456_789']);
  });

  it('knows the sets of WordNet', async () => {
    expect(await terms('/words/_analyze', { analyzer: 'sets', text: 'refrain' })).toEqual(['refrain', 'abstain']);
  });

  it.each([
    ['/_analyze', { analyzer: 'standard' }, 2],
    ['/_analyze', { tokenizer: 'standard' }, 102],
    ['/words/_analyze', { analyzer: 'standard' }, 102],
    ['/words/_analyze', { field: 'text' }, 102],
    ['/words/_analyze', { field: 'near' }, 5],
    ['/words/_analyze', { field: 'tag' }, 1],
  ])('%s with %j has the next text at %i', async (path, chosen, position) => {
    const { tokens } = (await node.post(path, { ...chosen, text: ['foo baz', 'qux'] })).json();
    expect(tokens.at(-1).position).toBe(position);
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

describe('filters that scripts decide on', () => {
  it('are part of an index', async () => {
    const analysis = {
      filter: {
        short: { type: 'predicate_token_filter', script: { source: 'token.getTerm().length() < 4' } },
        first: { type: 'condition', filter: ['uppercase'], script: { source: 'token.position == 0' } },
      },
      analyzer: { chosen: { tokenizer: 'whitespace', filter: ['short', 'first'] } },
    };
    const mappings = { properties: { text: { type: 'text', analyzer: 'chosen' } } };
    expect((await node.put('/chosen', { settings: { analysis }, mappings })).status).toBe(200);
    expect(await terms('/chosen/_analyze', { field: 'text', text: 'one seven two' })).toEqual(['ONE', 'two']);
    expect((await node.put('/chosen/_doc/1?refresh=true', { text: 'one seven two' })).status).toBe(201);
    const found = async (term: string): Promise<number> =>
      (await node.post('/chosen/_count', { query: { term: { text: term } } })).json().count;
    expect(await Promise.all(['ONE', 'one', 'seven', 'two'].map(found))).toEqual([1, 0, 0, 1]);
  });

  it('are refused with a script that does not compile', async () => {
    const analysis = { filter: { broken: { type: 'predicate_token_filter', script: { source: 'token..x' } } } };
    const refused = await node.put('/broken', { settings: { analysis } });
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('compile error');
  });
});

describe('queries over words that the analyzer takes out', () => {
  beforeAll(async () => {
    const properties = { t: { type: 'text', analyzer: 'stop' }, k: { type: 'keyword' } };
    expect((await node.put('/stopped', { mappings: { properties } })).status).toBe(200);
    await node.put('/stopped/_doc/1', { t: 'cat the dog x', k: 'cat' });
    await node.put('/stopped/_doc/2?refresh=true', { t: 'cat dog catalogue', k: 'dog' });
  });

  async function ids(query: Json): Promise<string[]> {
    const answer = await node.post('/stopped/_search', { query, sort: ['_doc'] });
    expect(answer.status, answer.text).toBe(200);
    return answer.json().hits.hits.map((hit: Json) => hit._id as string);
  }

  const quoted = (options: Json): Json => ({
    query_string: { query: '"cat the dog"', default_field: 't', ...options },
  });

  it.each([
    ['a phrase keeps their places', quoted({}), ['1']],
    ['or not', quoted({ enable_position_increments: false }), ['2']],
    ['a last word that is no end of the text is whole', { match_bool_prefix: { t: 'dogs catalog the' } }, []],
    ['nor is one before a space', { match_bool_prefix: { t: 'dogs catalog ' } }, []],
    ['one at the end may go on', { match_bool_prefix: { t: 'dogs catalog' } }, ['2']],
    ['a word that is excluded', { simple_query_string: { query: 'cat + -catalogue', fields: ['t'] } }, ['1']],
    [
      'one that is not there to be excluded',
      { simple_query_string: { query: 'cat -the dog', fields: ['t'] } },
      ['1', '2'],
    ],
    ['a sign by itself', { simple_query_string: { query: 'x - catalogue', fields: ['t'] } }, ['1', '2']],
  ])('%s', async (_, query, found) => {
    expect(await ids(query)).toEqual(found);
  });

  it.each([
    ['constant_score', 2],
    ['top_terms_boost_5', 2],
    ['scoring_boolean', 0.63013375],
  ])('fuzzy without edits, as %s', async (rewrite, score) => {
    const query = { fuzzy: { k: { value: 'cat', fuzziness: 0, rewrite, boost: 2 } } };
    const answer = await node.post('/stopped/_search', { query });
    expect(answer.json().hits.hits[0]._score).toBeCloseTo(score, 5);
  });
});
