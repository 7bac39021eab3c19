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
