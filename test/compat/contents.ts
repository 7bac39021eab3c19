/** What the kept data directories hold: something of everything that lies on disks. Versions to come must find it again. */
import { expect } from 'vitest';
import type { Answer, Json, TestNode } from '../api/node-harness.js';

const DAY_MS = 86_400_000;
const DOCUMENTS = 60;
/** As many as a merged segment with pairs of frequent terms has at least (format 7). */
const PHRASES = 16_384;
const PHRASES_AT_ONCE = 4_096;

function film(number: number): Json {
  return {
    title: `The ${number % 2 === 0 ? 'quiet' : 'loud'} film number ${number}`,
    genre: ['drama', 'comedy', 'western'][number % 3],
    year: 1960 + number,
    released: new Date(Date.UTC(2020, 0, 1) + number * DAY_MS).toISOString(),
    rating: number / 10,
    seen: number % 5 === 0,
    place: { lat: number / 2, lon: -number / 2 },
    address: `10.0.0.${number}`,
    weeks: { gte: number, lt: number + 10 },
    cast: [
      { name: `actor ${number}`, age: 20 + number },
      { name: 'extra', age: 30 },
    ],
    vector: [number, 1, DOCUMENTS - number],
  };
}

function phrase(number: number): Json {
  return { line: `${number % 2 === 0 ? 'of the' : 'the of'} ${number % 3 === 0 ? 'same' : 'other'} w${number % 500}` };
}

const PROPERTIES = {
  title: { type: 'text', fields: { raw: { type: 'keyword' } } },
  genre: { type: 'keyword' },
  year: { type: 'integer' },
  released: { type: 'date' },
  rating: { type: 'double' },
  seen: { type: 'boolean' },
  place: { type: 'geo_point' },
  address: { type: 'ip' },
  weeks: { type: 'integer_range' },
  cast: { type: 'nested', properties: { name: { type: 'text' }, age: { type: 'integer' } } },
  vector: { type: 'dense_vector', dims: 3, similarity: 'l2_norm' },
} as const;

async function ok(answer: Promise<Answer>): Promise<Answer> {
  const done = await answer;
  expect([done.status, done.text]).toEqual([expect.toSatisfy((status: number) => status < 300), expect.anything()]);
  return done;
}

/** `films`: all kinds of fields, several segments, deletions, and newest operations in the translog alone. */
export async function fill(node: TestNode): Promise<void> {
  const one = { number_of_shards: 2, number_of_replicas: 0 };
  await ok(node.put('/films', { settings: one, mappings: { properties: PROPERTIES } }));
  for (let from = 0; from < DOCUMENTS; from += 20) {
    const lines = Array.from({ length: 20 }, (_, at) => [{ index: { _id: String(from + at) } }, film(from + at)]);
    await ok(node.bulk('/films/_bulk?refresh=true', lines.flat()));
  }
  await ok(node.delete('/films/_doc/7?refresh=true'));
  await ok(node.post('/films/_flush'));
  await ok(node.post('/films/_update/8', { doc: { genre: 'updated' } }));
  const sorted = {
    number_of_shards: 1,
    number_of_replicas: 0,
    codec: 'best_compression',
    sort: { field: 'n', order: 'desc' },
  };
  await ok(node.put('/sorted', { settings: { index: sorted }, mappings: { properties: { n: { type: 'long' } } } }));
  const numbers = Array.from({ length: 30 }, (_, n) => [{ index: {} }, { n }]);
  await ok(node.bulk('/sorted/_bulk?refresh=true', numbers.flat()));
  await ok(
    node.put('/queries', {
      settings: one,
      mappings: { properties: { q: { type: 'percolator' }, text: { type: 'text' } } },
    }),
  );
  await ok(node.put('/queries/_doc/fox?refresh=true', { q: { match: { text: 'fox' } } }));
  await ok(node.put('/shut', { settings: one }));
  await ok(node.post('/shut/_doc?refresh=true', { kept: true }));
  await ok(node.post('/shut/_close'));
  const template = { index_patterns: ['events-*'], data_stream: {}, template: { settings: { number_of_replicas: 0 } } };
  await ok(node.put('/_index_template/events', template));
  await ok(node.post('/events-app/_doc?refresh=true', { '@timestamp': '2024-05-01T00:00:00Z', text: 'first' }));
  await ok(node.post('/events-app/_rollover'));
  await ok(node.post('/events-app/_doc?refresh=true', { '@timestamp': '2024-05-02T00:00:00Z', text: 'second' }));
  await ok(node.put('/_ingest/pipeline/stamp', { processors: [{ set: { field: 'stamped', value: true } }] }));
  await ok(node.put('/_scripts/double', { script: { lang: 'painless', source: "doc['n'].value * 2" } }));
  await ok(
    node.put('/_ilm/policy/short', { policy: { phases: { delete: { min_age: '9999d', actions: { delete: {} } } } } }),
  );
  await ok(node.put('/_cluster/settings', { persistent: { 'search.max_buckets': 12_345 } }));
  await ok(
    node.post('/_aliases', {
      actions: [{ add: { index: 'films', alias: 'movies', filter: { term: { seen: true } } } }],
    }),
  );
}

/** `phrases`: a merged segment with pairs of frequent terms, and a deletion in it. */
export async function fillPhrases(node: TestNode): Promise<void> {
  const settings = { number_of_shards: 1, number_of_replicas: 0 };
  await ok(node.put('/phrases', { settings, mappings: { properties: { line: { type: 'text' } } } }));
  for (let from = 0; from < PHRASES; from += PHRASES_AT_ONCE) {
    const numbers = Array.from({ length: PHRASES_AT_ONCE }, (_, at) => from + at);
    const lines = numbers.map((number) => [{ index: { _id: String(number) } }, phrase(number)]);
    await ok(node.bulk('/phrases/_bulk?refresh=true', lines.flat()));
  }
  await ok(node.post('/phrases/_forcemerge?max_num_segments=1'));
  await ok(node.delete('/phrases/_doc/6?refresh=true'));
  await ok(node.post('/phrases/_flush'));
}

export async function verifyPhrases(node: TestNode): Promise<void> {
  const count = async (query: object): Promise<number> =>
    (await ok(node.post('/phrases/_count', { query }))).json().count;
  const numbers = Array.from({ length: PHRASES }, (_, number) => number).filter((number) => number !== 6);
  const expectAll = async (): Promise<void> => {
    expect(await count({ match_all: {} })).toBe(numbers.length);
    for (const words of ['of the', 'the of', 'the same', 'of other', 'same w6', 'the same w6', 'of the same w24']) {
      const wanted = numbers.filter((number) => ` ${phrase(number).line} `.includes(` ${words} `)).length;
      expect(await count({ match_phrase: { line: words } }), words).toBe(wanted);
    }
  };
  await expectAll();
  await ok(node.post('/phrases/_doc/7?refresh=true', phrase(7)));
  await ok(node.post('/phrases/_forcemerge?max_num_segments=1'));
  await expectAll();
}

export async function verify(node: TestNode): Promise<void> {
  await ok(node.get('/_cluster/health?wait_for_status=green&timeout=60s'));
  const search = async (index: string, body: object): Promise<Json> =>
    (await ok(node.post(`/${index}/_search`, body))).json();
  const total = async (index: string, query: object): Promise<number> =>
    (await search(index, { query, track_total_hits: true })).hits.total.value;
  await ok(node.post('/films/_refresh'));
  expect(await total('films', { match_all: {} })).toBe(DOCUMENTS - 1);
  expect(await total('films', { match: { title: 'quiet' } })).toBe(30);
  expect(await total('films', { term: { genre: 'updated' } })).toBe(1);
  expect(await total('films', { match_phrase: { title: 'loud film number 9' } })).toBe(1);
  expect(await total('films', { range: { released: { gte: '2020-02-01' } } })).toBe(DOCUMENTS - 31);
  expect(await total('films', { term: { address: '10.0.0.12' } })).toBe(1);
  expect(await total('films', { range: { weeks: { gte: 65, lte: 65 } } })).toBe(4);
  expect(await total('films', { geo_distance: { distance: '1km', place: { lat: 5, lon: -5 } } })).toBe(1);
  expect(await total('films', { nested: { path: 'cast', query: { match: { 'cast.name': '12' } } } })).toBe(1);
  expect(await total('movies', { match_all: {} })).toBe(12);
  const near = await search('films', { knn: { field: 'vector', query_vector: [12, 1, 48], k: 1, num_candidates: 60 } });
  expect(near.hits.hits[0]._id).toBe('12');
  const genres = await search('films', {
    size: 0,
    aggs: { g: { terms: { field: 'genre' } }, r: { avg: { field: 'rating' } } },
  });
  expect(genres.aggregations.g.buckets.map(({ key, doc_count }: Json) => [key, doc_count])).toEqual([
    ['drama', 20],
    ['comedy', 19],
    ['western', 19],
    ['updated', 1],
  ]);
  expect((await node.get('/films/_doc/7')).status).toBe(404);
  expect((await node.get('/films/_doc/59')).json()._source).toEqual(film(59));
  expect((await search('sorted', { size: 2, sort: ['n'] })).hits.hits.map(({ _source }: Json) => _source.n)).toEqual([
    0, 1,
  ]);
  const stored = { percolate: { field: 'q', document: { text: 'a quick fox' } } };
  expect((await search('queries', { query: stored })).hits.hits[0]._id).toBe('fox');
  expect((await node.get('/_cat/indices/shut?h=status&expand_wildcards=all')).text.trim()).toBe('close');
  await ok(node.post('/shut/_open?wait_for_active_shards=1'));
  expect(await total('shut', { match_all: {} })).toBe(1);
  expect(await total('events-app', { match_all: {} })).toBe(2);
  expect((await ok(node.get('/_data_stream/events-app'))).json().data_streams[0].generation).toBe(2);
  for (const kept of ['/_ingest/pipeline/stamp', '/_scripts/double', '/_ilm/policy/short']) await ok(node.get(kept));
  const { persistent } = (await ok(node.get('/_cluster/settings?flat_settings'))).json();
  expect(persistent['search.max_buckets']).toBe('12345');
  // What was kept takes more: writes, merges, a restart of what they made.
  await ok(node.post('/films/_doc?refresh=true', film(60)));
  await ok(node.post('/films,sorted/_forcemerge?max_num_segments=1'));
  expect(await total('films', { match_all: {} })).toBe(DOCUMENTS);
  expect(await total('sorted', { match_all: {} })).toBe(30);
}
