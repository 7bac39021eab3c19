/** What is held for a user who may not read everything, and statistics of it: an id says no more than what was opened. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { crc32c } from '../../src/segment/crc32c.js';
import type { Answer, Json, TestNode } from './node-harness.js';
import { ADMIN, askAs, basic, done, startSecured } from './security-helpers.js';

const PASSWORD = 'users-password';
const SHARDS = 4;
let node: TestNode;

const admin = askAs(() => node, ADMIN);
const reader = askAs(() => node, basic('reader', PASSWORD));

beforeAll(async () => {
  node = await startSecured();
  const settings = { number_of_shards: 1, number_of_replicas: 0 };
  await done(admin('PUT', '/papers', { settings, mappings: { properties: { dept: { type: 'keyword' } } } }));
  await done(admin('PUT', '/mine', { settings: { ...settings, number_of_shards: SHARDS } }));
  await done(admin('PUT', '/papers/_doc/1', { dept: 'open' }));
  await done(admin('PUT', '/papers/_doc/2?refresh=true', { dept: 'closed' }));
  const template = { index_patterns: ['events*'], data_stream: {}, priority: 900, template: { settings } };
  await done(admin('PUT', '/_index_template/events', template));
  for (const [dept, day] of [
    ['open', '2026-01-01'],
    ['closed', '2026-02-02'],
  ]) {
    await done(admin('POST', '/events/_doc?refresh=true', { '@timestamp': `${day ?? ''}T00:00:00Z`, dept }));
  }
  const query = { match: { dept: 'open' } };
  const indices = [
    { names: ['papers', 'events'], privileges: ['read', 'monitor'], query },
    { names: ['mine'], privileges: ['read'] },
  ];
  await done(admin('PUT', '/_security/role/reader', { indices }));
  await done(admin('PUT', '/_security/user/reader', { password: PASSWORD, roles: ['reader'] }));
});

afterAll(() => node.stop());

/** The id with another content. */
function forged(id: string, change: (wire: Json) => Json): string {
  const wire = JSON.parse(Buffer.from(id, 'base64url').subarray(4).toString('utf8')) as Json;
  const json = Buffer.from(JSON.stringify(change(wire)), 'utf8');
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32c(json));
  return Buffer.concat([checksum, json]).toString('base64url');
}

async function uuidOf(index: string): Promise<string> {
  const settings = await done(admin('GET', `/${index}/_settings`));
  return settings[index].settings.index.uuid as string;
}

it('a point in time is of the index that it was opened on, whatever its id says', async () => {
  const { id } = await done(reader('POST', '/papers/_pit?keep_alive=1m'));
  const search = (pit: string): Promise<Answer> => reader('POST', '/_search', { pit: { id: pit } });
  expect((await done(search(id))).hits.total.value).toBe(1);
  const uuid = await uuidOf('mine');
  for (let shard = 0; shard < SHARDS; shard++) {
    const other = forged(id, (wire) => ({
      ...wire,
      i: [['mine', uuid]],
      p: wire.p.map((part: readonly unknown[]) => [0, shard, ...part.slice(2)]),
    }));
    const { status, text } = await search(other);
    expect([shard, status, text.includes('closed')]).toEqual([shard, 404, false]);
  }
});

it('a scroll is of the index that it was begun on, whatever its id says', async () => {
  const begin = async (): Promise<string> =>
    (await done(reader('POST', '/papers/_search?scroll=1m&size=1', {})))._scroll_id as string;
  const next = (id: string): Promise<Answer> => reader('POST', '/_search/scroll', { scroll_id: id });
  expect((await next(await begin())).status).toBe(200);
  const renamed = forged(await begin(), (wire) => ({ ...wire, i: wire.i.map(([, uuid]: string[]) => ['mine', uuid]) }));
  expect((await next(renamed)).status).toBe(404);
});

it('the newest time of a data stream is not told to who may not read all of it', async () => {
  const newest = async (ask: typeof admin): Promise<number> =>
    (await done(ask('GET', '/_data_stream/events/_stats'))).data_streams[0].maximum_timestamp as number;
  expect(await newest(admin)).toBe(Date.parse('2026-02-02T00:00:00Z'));
  expect(await newest(reader)).toBe(0);
});
