/** The official JavaScript client against a real node: its product check, bulk helper, search and iterators. */
import { Client } from '@elastic/elasticsearch';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestNode } from '../api/node-harness.js';

interface Movie {
  readonly title: string;
  readonly year: number;
}

let node: TestNode;
let client: Client;

beforeAll(async () => {
  node = await TestNode.start();
  client = new Client({ node: node.url });
});

afterAll(async () => {
  await client.close();
  await node.stop();
});

test('indexes with the bulk helper and finds what it indexed', async () => {
  const datasource = Array.from({ length: 1_234 }, (_, nth): Movie => ({
    title: `movie number ${nth}`,
    year: 1900 + (nth % 100),
  }));
  const result = await client.helpers.bulk<Movie>({
    datasource,
    flushBytes: 20_000,
    refreshOnCompletion: true,
    onDocument: () => ({ index: { _index: 'movies' } }),
  });
  expect(result).toMatchObject({ total: 1_234, successful: 1_234, failed: 0 });
  expect((await client.count({ index: 'movies' })).count).toBe(1_234);
  const found = await client.search<Movie>({
    index: 'movies',
    query: { match: { title: { query: 'number 42', operator: 'and' } } },
  });
  expect(found.hits.hits.map((hit) => hit._source?.title)).toEqual(['movie number 42']);
  const documents = await client.helpers.search<Movie>({ index: 'movies', query: { term: { year: 1907 } }, size: 100 });
  expect(documents.map(({ year }) => year)).toEqual(Array.from({ length: 13 }, () => 1907));
});

test('reports errors as the client knows them', async () => {
  await expect(client.get({ index: 'movies', id: 'none' })).rejects.toMatchObject({ statusCode: 404 });
  await expect(client.search({ index: 'absent' })).rejects.toMatchObject({ meta: { statusCode: 404 } });
});
