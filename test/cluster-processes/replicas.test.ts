import { afterAll, beforeAll, expect, test } from 'vitest';
import { must } from '../../src/base/assert.js';
import { TestCluster, type TestMember } from './cluster-harness.js';

interface ShardRow {
  readonly shard: string;
  readonly prirep: string;
  readonly state: string;
  readonly node: string;
}

const INDEX = {
  settings: { number_of_shards: 2, number_of_replicas: 1, 'index.unassigned.node_left.delayed_timeout': '0' },
  mappings: { properties: { n: { type: 'long' }, t: { type: 'text' } } },
};
const WRITERS = 4;
const BATCH = 50;
const LOAD_MS = Number(process.env['QUARRY_LOAD_SECONDS'] ?? '10') * 1_000;

let cluster: TestCluster;

beforeAll(async () => {
  cluster = await TestCluster.start({ nodes: 3 });
}, 120_000);

afterAll(async () => {
  await cluster.stop();
});

function running(): readonly TestMember[] {
  return cluster.members.filter((member) => member.isRunning);
}

async function ask<Body>(member: TestMember, method: string, path: string, body?: unknown): Promise<Body> {
  const response = await fetch(`http://127.0.0.1:${member.ports.http}${path}`, {
    method,
    ...(body === undefined
      ? {}
      : {
          headers: { 'content-type': typeof body === 'string' ? 'application/x-ndjson' : 'application/json' },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
  return (text === '' ? {} : JSON.parse(text)) as Body;
}

function someMember(): TestMember {
  return must(running()[0], 'a running node');
}

async function whenGreen(index: string): Promise<void> {
  const health = await ask<{ status: string }>(
    someMember(),
    'GET',
    `/_cluster/health/${index}?wait_for_status=green&wait_for_no_initializing_shards=true&timeout=60s`,
  );
  expect(health.status).toBe('green');
}

async function shards(index: string): Promise<readonly ShardRow[]> {
  return ask(someMember(), 'GET', `/_cat/shards/${index}?format=json`);
}

/** `n` of every document as one copy sees it, by id. */
async function documentsOn(preference: string, index: string): Promise<ReadonlyMap<string, number>> {
  const answer = await ask<{
    hits: { hits: { _id: string; _source: { n: number } }[] };
    _shards: { failed: number };
  }>(someMember(), 'POST', `/${index}/_search?preference=${preference}`, { size: 10_000, query: { match_all: {} } });
  expect(answer._shards.failed, JSON.stringify(answer._shards)).toBe(0);
  const { hits } = answer.hits;
  const found = new Map(hits.map(({ _id, _source }) => [_id, _source.n]));
  expect(found.size).toBe(hits.length);
  return found;
}

test('writes are on both copies and answers count them', async () => {
  await ask(someMember(), 'PUT', '/first', INDEX);
  await whenGreen('first');
  for (const [at, member] of cluster.members.entries()) {
    const answer = await ask<{ _shards: unknown }>(member, 'PUT', `/first/_doc/${at}?refresh=true`, { n: at });
    expect(answer._shards).toEqual({ total: 2, successful: 2, failed: 0 });
  }
  const expected = new Map(cluster.members.map((_, at) => [String(at), at]));
  expect(await documentsOn('_primary', 'first')).toEqual(expected);
  expect(await documentsOn('_replica', 'first')).toEqual(expected);
});

test(
  'the node of a primary is killed during a load: every acknowledged write is on every copy',
  { timeout: 240_000 },
  async () => {
    await ask(someMember(), 'PUT', '/load', INDEX);
    await whenGreen('load');
    const acknowledged = new Map<string, number>();
    const possible = new Map<string, Set<number>>();
    let isOver = false;
    const writer = async (writerNumber: number): Promise<void> => {
      for (let n = 1; !isOver; n++) {
        const ids = Array.from({ length: BATCH }, (_, at) => `${writerNumber}-${(n * 17 + at) % 500}`);
        const body = ids
          .map((id) => `{"index":{"_id":"${id}"}}\n{"n":${n},"t":"written by ${writerNumber}"}\n`)
          .join('');
        for (const id of ids) possible.set(id, (possible.get(id) ?? new Set<number>()).add(n));
        try {
          const members = running();
          const member = must(members[(n + writerNumber) % members.length], 'a running node');
          const { items } = await ask<{ items: { index: { _id: string; status: number } }[] }>(
            member,
            'POST',
            '/load/_bulk?timeout=30s',
            body,
          );
          for (const { index } of items) {
            if (index.status >= 300) continue;
            acknowledged.set(index._id, n);
            possible.set(index._id, new Set([n]));
          }
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
    };
    const writers = Array.from({ length: WRITERS }, (_, number) => writer(number));
    await new Promise((resolve) => setTimeout(resolve, LOAD_MS / 2));
    const primary = must(
      (await shards('load')).find(({ prirep }) => prirep === 'p'),
      'a primary',
    ).node;
    const victim = must(
      cluster.members.find(({ name }) => name === primary),
      'its node',
    );
    await victim.kill();
    await new Promise((resolve) => setTimeout(resolve, LOAD_MS / 2));
    isOver = true;
    await Promise.all(writers);
    await whenGreen('load');
    await victim.start();
    await whenGreen('load');
    await ask(someMember(), 'POST', '/load/_refresh');
    for (const preference of ['_primary', '_replica']) {
      const found = await documentsOn(preference, 'load');
      for (const [id, values] of possible) {
        const value = found.get(id);
        if (value === undefined) expect(acknowledged.has(id)).toBe(false);
        else expect([...values]).toContain(value);
      }
    }
    expect(acknowledged.size).toBeGreaterThan(BATCH);
  },
);

test('all nodes are killed and started again: shards come back with every copy', { timeout: 240_000 }, async () => {
  await ask(someMember(), 'PUT', '/restart', INDEX);
  await whenGreen('restart');
  const lines = Array.from({ length: 1_000 }, (_, n) => `{"index":{"_id":"${n}"}}\n{"n":${n}}\n`);
  const { errors } = await ask<{ errors: boolean }>(someMember(), 'POST', '/restart/_bulk', lines.join(''));
  expect(errors).toBe(false);
  await Promise.all(cluster.members.map((member) => member.kill()));
  await Promise.all(cluster.members.map((member) => member.start()));
  await whenGreen('restart');
  await ask(someMember(), 'POST', '/restart/_refresh');
  const expected = new Map(lines.map((_, n) => [String(n), n]));
  expect(await documentsOn('_primary', 'restart')).toEqual(expected);
  expect(await documentsOn('_replica', 'restart')).toEqual(expected);
});
