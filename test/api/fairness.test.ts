/** Requests of one kind beside others that never end: nobody waits without end. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  // One worker, so that everything meets there.
  node = await TestNode.start({ 'node.processors': '1' });
  await node.put('/heavy', { settings: { number_of_shards: 1, number_of_replicas: 0 } });
  const lines = Array.from({ length: 2_000 }, (_, n) => `{"index":{"_id":"${n}"}}\n{"n":${n}}\n`).join('');
  await node.post('/heavy/_bulk?refresh=true', lines, { 'content-type': 'application/x-ndjson' });
});

afterAll(async () => {
  await node.stop();
});

/** Takes some ten milliseconds. */
const HEAVY_SEARCH = {
  query: {
    script_score: {
      query: { match_all: {} },
      script: { source: 'double s = 0; for (int i = 0; i < 100; i++) { s += i * 0.5 } return s + doc["n"].value' },
    },
  },
};

/** Searches of two clients, each with the next one as soon as it has the answer to the last. */
class HeavyClients {
  ended = 0;
  private isOver = false;
  private readonly clients: Promise<void>[];

  constructor() {
    this.clients = [this.search(), this.search()];
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.clients);
  }

  private async search(): Promise<void> {
    while (!this.isOver) {
      const answer = await node.post('/heavy/_search', HEAVY_SEARCH);
      expect(answer.status).toBe(200);
      this.ended++;
    }
  }
}

/** A write takes several steps in a worker and on the disk; a thousand searches ended beside one before there were turns. */
const SEARCHES_BESIDE_MAX = 60;

describe('beside searches that never end', () => {
  it.each([
    ['a write', () => node.put('/heavy/_doc/new', { n: 1 })],
    ['a document by id', () => node.get('/heavy/_doc/7')],
    ['a small search', () => node.post('/heavy/_search', { query: { term: { n: 7 } } })],
    ['a refresh', () => node.post('/heavy/_refresh')],
    ['a new index', () => node.put('/another', { settings: { number_of_replicas: 0 } })],
    ['figures', () => node.get('/_nodes/stats')],
  ])('%s is answered after a few of them', async (_name, ask) => {
    const clients = new HeavyClients();
    try {
      await node.until(() => Promise.resolve(clients.ended > 4 ? true : undefined));
      const before = clients.ended;
      const answer = await ask();
      expect(answer.status).toBeLessThan(300);
      expect(clients.ended - before).toBeLessThan(SEARCHES_BESIDE_MAX);
    } finally {
      await clients.stop();
    }
  });
});
