/** Small reads are carried out by the front, from what the owners of shards publish: they see the newest write, and answer as the owner would. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/base/random.js';
import { TestNode, type Json } from './node-harness.js';

const NDJSON = { 'content-type': 'application/x-ndjson' };

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start({ 'node.processors': '4' });
});

afterAll(async () => {
  await node.stop();
});

/** What a client wrote last under an id: undefined once it deleted it. */
interface Own {
  readonly n: number;
  readonly version: number;
}

/** Writes under ids of its own, and reads each back at once. */
async function writeAndRead(index: string, client: number, steps: number): Promise<void> {
  const random = seededRandom(100 + client);
  const written = new Map<string, Own | undefined>();
  for (let step = 0; step < steps; step++) {
    const id = `${client}-${random.below(12)}`;
    const path = `/${index}/_doc/${id}`;
    switch (random.below(8)) {
      case 0: {
        const answer = await node.delete(path);
        expect(answer.json()._version).toBeGreaterThan(written.get(id)?.version ?? 0);
        written.set(id, undefined);
        break;
      }
      case 1: {
        const lines = [{ index: { _id: id } }, { n: step }, { index: { _id: `${id}-other` } }, { n: -step }];
        const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
        const { items } = (await node.request('POST', `/${index}/_bulk`, body, NDJSON)).json();
        written.set(id, { n: step, version: items[0].index._version });
        written.set(`${id}-other`, { n: -step, version: items[1].index._version });
        break;
      }
      case 2:
        await node.post(`/${index}/_refresh`);
        break;
      default: {
        const { _version: version } = (await node.put(path, { n: step })).json();
        written.set(id, { n: step, version });
      }
    }
    const read = [id, `${client}-${random.below(12)}`, 'nobody-wrote-it'];
    for (const each of read) {
      const { found, _source: source, _version: version } = (await node.get(`/${index}/_doc/${each}`)).json();
      const own = written.get(each);
      expect({ each, found, n: source?.n, version }).toEqual({
        each,
        found: own !== undefined,
        n: own?.n,
        version: own?.version,
      });
    }
  }
}

describe('a document by its id', () => {
  it('is what was written last, whoever refreshes, flushes and merges meanwhile', async () => {
    await node.put('/own', { settings: { number_of_shards: 3, number_of_replicas: 0, refresh_interval: '50ms' } });
    let isOver = false;
    const disturb = async (): Promise<void> => {
      while (!isOver) {
        await node.post('/own/_flush');
        await node.post('/own/_forcemerge?max_num_segments=1');
      }
    };
    const disturbing = disturb();
    await Promise.all([0, 1, 2, 3, 4, 5].map((client) => writeAndRead('own', client, 60)));
    isOver = true;
    await disturbing;
  });

  it('is found where its buffer is being written', async () => {
    await node.put('/large', { settings: { number_of_replicas: 0, refresh_interval: '-1' } });
    const filler = 'word '.repeat(200);
    for (let round = 0; round < 6; round++) {
      const documents = Array.from({ length: 1_500 }, (_, at) => ({ id: `${round % 2}-${at}`, round, filler }));
      const lines = documents.flatMap(({ id, ...document }) => [{ index: { _id: id } }, document]);
      const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      expect((await node.request('POST', '/large/_bulk', body, NDJSON)).json().errors).toBe(false);
      // The buffer is large enough to be written by another thread, while these are read and written.
      const refreshing = node.post('/large/_refresh');
      for (let at = 0; at < 40; at++) {
        const id = `${round % 2}-${at * 7}`;
        expect((await node.get(`/large/_doc/${id}`)).json()._source.round).toBe(round);
        if (at % 4 > 0) continue;
        expect((await node.put(`/large/_doc/${id}`, { round: 100 + round })).status).toBe(200);
        expect((await node.get(`/large/_doc/${id}`)).json()._source.round).toBe(100 + round);
      }
      await refreshing;
      expect((await node.get(`/large/_doc/${round % 2}-0`)).json()._source.round).toBe(100 + round);
    }
  });

  it('is gone with its index, and another one under the same name is another', async () => {
    for (let round = 0; round < 5; round++) {
      expect((await node.get('/again/_doc/1')).status).toBe(404);
      await node.put('/again/_doc/1?refresh=true', { round });
      expect((await node.get('/again/_doc/1')).json()._source.round).toBe(round);
      expect((await node.get('/again/_doc/2')).json().found).toBe(false);
      await node.delete('/again');
    }
  });

  it('is answered as by its owner, whatever is asked for', async () => {
    const mappings = { properties: { kept: { type: 'keyword', store: true }, text: { type: 'text' } } };
    await node.put('/asked', { settings: { number_of_shards: 2, number_of_replicas: 0 }, mappings });
    await node.post('/_aliases', { actions: [{ add: { index: 'asked', alias: 'routed', routing: 'r' } }] });
    await node.put('/asked/_doc/1?refresh=true', { kept: 'k', text: 'some words', more: { inside: 1 } });
    await node.put('/asked/_doc/2?routing=r&refresh=true', { kept: 'l' });
    const parameters = [
      ...['', 'pretty', 'human', '_source=false', '_source=text', '_source_includes=more.*', '_source_excludes=text'],
      ...[
        'stored_fields=kept',
        'stored_fields=kept,_source',
        'version=1',
        'version=2',
        'version=1&version_type=external',
      ],
      ...['realtime=false', 'refresh=true', 'filter_path=_source.text', 'format=yaml', 'routing=r', 'unknown=1'],
      ...['version_type=strange', 'source={}', 'stored_fields=more', 'error_trace'],
    ];
    const addresses = ['asked/_doc/1', 'asked/_doc/2', 'routed/_doc/2', 'asked/_doc/none', 'missing/_doc/1'];
    for (const address of addresses) {
      for (const each of parameters) {
        // Twice: the second time it is known how such a request is answered. With a preference the usual way is taken.
        await node.get(`/${address}?${each}`);
        const [prepared, usual] = await Promise.all(
          [each, `${each}&preference=_primary`].map((query) => node.get(`/${address}?${query}`)),
        );
        const of = (answer: typeof prepared): Json => ({
          status: answer?.status,
          body: answer?.text.replace('?preference', ''),
          type: answer?.headers.get('content-type'),
        });
        expect({ address, each, ...of(prepared) }).toEqual({ address, each, ...of(usual) });
      }
    }
  });

  it('is counted', async () => {
    const stats = async (): Promise<Json> => (await node.get('/asked/_stats/get')).json()._all.total.get;
    const before = await stats();
    await node.get('/asked/_doc/1');
    await node.get('/asked/_doc/none');
    const after = await stats();
    expect(after.total - before.total).toBe(2);
    expect(after.exists_total - before.exists_total).toBe(1);
    expect(after.missing_total - before.missing_total).toBe(1);
  });
});

describe('the root', () => {
  it('says the same each time, as it is asked for', async () => {
    const asked = async (): Promise<Json[]> => {
      const answers = [];
      for (const query of ['', '?pretty', '?filter_path=version.number', '?format=yaml', '?unknown=1', '?human']) {
        const { status, text, headers } = await node.request('GET', `/${query}`, undefined, { 'x-opaque-id': query });
        answers.push({ query, status, text, type: headers.get('content-type'), id: headers.get('x-opaque-id') });
      }
      return answers;
    };
    const first = await asked();
    expect(first.map(({ status }) => status)).toEqual([200, 200, 200, 200, 400, 200]);
    expect(first.map(({ query, id }) => (id ?? '') === query)).not.toContain(false);
    for (let round = 0; round < 3; round++) expect(await asked()).toEqual(first);
    const head = await node.request('HEAD', '/');
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(String(first[0]?.text.length));
  });
});

describe('a search in the front', () => {
  it('is listed and cancelled while it runs long, and held back by nobody', async () => {
    await node.put('/slow', { settings: { number_of_replicas: 0 } });
    const body = Array.from({ length: 3_000 }, (_, n) => `{"index":{}}\n${JSON.stringify({ n })}\n`).join('');
    await node.request('POST', '/slow/_bulk?refresh=true', body, NDJSON);
    const source = 'double x = 0; for (int i = 0; i < 20000; i++) { x += Math.sin(i) } return Math.abs(x)';
    const searching = node.post('/slow/_search', {
      query: { script_score: { query: { match_all: {} }, script: { source } } },
    });
    let ended: string | undefined;
    void searching.then(({ text }) => (ended = text));
    let tasks: Json[] = [];
    while (tasks.length === 0) {
      // One that nobody saw is told of, and not waited for.
      expect(ended).toBeUndefined();
      const listed = (await node.get('/_tasks?actions=indices:data/read/search')).json();
      tasks = Object.values<Json>(listed.nodes).flatMap(({ tasks: own }) => Object.keys(own as object));
    }
    expect((await node.get('/slow/_doc/none')).status).toBe(404);
    await node.post(`/_tasks/${String(tasks[0])}/_cancel`);
    expect((await searching).json().error.type).toMatch(/task_cancelled|search_phase_execution/);
  });
});
