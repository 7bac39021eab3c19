/** How much documents may hold while they are written, on a real node: at the limit, beyond it, and afterwards. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Answer, type Json } from './node-harness.js';

const LIMIT = 64 * 1024;
/** What a document counts beside itself. */
const OPERATION_BYTES = 64;
const NDJSON = { 'content-type': 'application/x-ndjson' };

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start({ 'indexing_pressure.memory.limit': '64kb' });
  const settings = { number_of_replicas: 0, refresh_interval: '-1' };
  await node.put('/films', { settings, mappings: { properties: { n: { type: 'long' } } } });
}, 60_000);

afterAll(async () => {
  await node.stop();
});

async function memory(): Promise<Json> {
  const { nodes } = (await node.get('/_nodes/stats/indexing_pressure')).json();
  return (Object.values(nodes)[0] as Json).indexing_pressure.memory;
}

afterEach(async () => {
  await node.post('/films/_refresh');
  await node.until(async () => ((await memory()).current.all_in_bytes === 0 ? true : undefined));
  const { current } = await memory();
  expect(Object.values(current).every((bytes) => bytes === 0)).toBe(true);
});

/** A document that counts so many bytes. */
function documentOf(bytes: number): string {
  const empty = JSON.stringify({ text: '' });
  return JSON.stringify({ text: 'x'.repeat(bytes - OPERATION_BYTES - empty.length) });
}

/** A bulk of one document, of so many bytes. */
function bulkOf(bytes: number): string {
  const frame = `{"index":{}}\n${JSON.stringify({ text: '' })}\n`;
  return `{"index":{}}\n${JSON.stringify({ text: 'x'.repeat(bytes - frame.length) })}\n`;
}

function refusal(held: number, bytes: number): Json {
  return {
    type: 'es_rejected_execution_exception',
    reason:
      `rejected execution of coordinating operation [coordinating_and_primary_bytes=${held}, replica_bytes=0, ` +
      `all_bytes=${held}, coordinating_operation_bytes=${bytes}, max_coordinating_bytes=${LIMIT}]`,
  };
}

/** A write that holds so many bytes until somebody refreshes the index. */
async function holding(bytes: number, signal?: AbortSignal): Promise<{ readonly status: Promise<number> }> {
  const init = { method: 'POST', body: documentOf(bytes), headers: { 'content-type': 'application/json' } };
  const status = fetch(`${node.url}/films/_doc?refresh=wait_for`, {
    ...init,
    ...(signal === undefined ? {} : { signal }),
  })
    .then((response) => response.status)
    .catch(() => 0);
  await node.until(async () => ((await memory()).current.coordinating_in_bytes === bytes ? true : undefined));
  return { status };
}

describe('at the limit and one byte beyond', () => {
  it.each<[string, (bytes: number) => Promise<Answer>]>([
    ['a document', (bytes) => node.post('/films/_doc', documentOf(bytes))],
    ['a bulk', (bytes) => node.post('/films/_bulk', bulkOf(bytes), NDJSON)],
  ])('%s is taken and refused', async (_, write) => {
    const before = (await memory()).total;
    expect((await write(LIMIT)).status).toBeLessThan(300);
    const refused = await write(LIMIT + 1);
    expect(refused.status).toBe(429);
    expect(refused.json().error).toMatchObject(refusal(0, LIMIT + 1));
    const { total, limit_in_bytes } = await memory();
    expect(limit_in_bytes).toBe(LIMIT);
    expect(total.coordinating_rejections).toBe(before.coordinating_rejections + 1);
    expect(total.coordinating_in_bytes).toBe(before.coordinating_in_bytes + LIMIT);
    expect(total.primary_in_bytes).toBeGreaterThan(before.primary_in_bytes);
    expect(total).toMatchObject({ primary_rejections: 0, primary_document_rejections: 0, replica_rejections: 0 });
  });

  it('what goes to system indices alone is taken', async () => {
    const { coordinating_rejections: before } = (await memory()).total;
    await node.put('/.tasks', { settings: { number_of_replicas: 0 }, mappings: { dynamic: false } });
    const named = (index: string, bytes: number): string => bulkOf(bytes).replace('{}', `{"_index":"${index}"}`);
    const own = named('.tasks', LIMIT + 1);
    for (const [path, body, status] of [
      ['/.tasks/_bulk?refresh', bulkOf(LIMIT + 1), 200],
      ['/_bulk', own, 200],
      ['/films/_bulk', own, 200],
      ['/.tasks/_bulk', named('films', LIMIT + 1), 429],
      ['/_bulk', own + named('films', 100), 429],
    ] as const) {
      const answer = await node.post(path, body, NDJSON);
      expect([path, answer.status, answer.json().errors ?? false]).toEqual([path, status, false]);
    }
    expect((await memory()).total.coordinating_rejections).toBe(before + 2);
    const moved = await node.post('/_reindex', { source: { index: 'films' }, dest: { index: '.tasks' } });
    expect(moved.json()).toMatchObject({ failures: [], retries: { bulk: 0 } });
  });

  it('deletions and updates count as well', async () => {
    const before = (await memory()).total.coordinating_in_bytes;
    await node.put('/films/_doc/1', { n: 1 });
    await node.post('/films/_update/1', { doc: { n: 2 } });
    expect((await node.delete('/films/_doc/1')).status).toBe(200);
    const documents = '{"n":1}'.length + '{"doc":{"n":2}}'.length;
    expect((await memory()).total.coordinating_in_bytes).toBe(before + documents + 3 * OPERATION_BYTES);
  });

  it('what others hold is added', async () => {
    const held = LIMIT / 2;
    const first = await holding(held);
    expect((await memory()).current).toMatchObject({
      combined_coordinating_and_primary_in_bytes: held,
      primary_in_bytes: held,
      replica_in_bytes: 0,
      all_in_bytes: held,
    });
    expect((await node.post('/films/_doc', documentOf(LIMIT - held))).status).toBe(201);
    const refused = await node.post('/films/_doc', documentOf(LIMIT - held + 1));
    expect(refused.status).toBe(429);
    expect(refused.json().error).toMatchObject(refusal(held, LIMIT - held + 1));
    await node.post('/films/_refresh');
    expect(await first.status).toBe(201);
  });
});

describe('all is given back', () => {
  it('after errors', async () => {
    expect((await node.post('/films/_doc', { n: 'no number' })).status).toBe(400);
    expect((await node.post('/films/_bulk', '{"index":\n', NDJSON)).status).toBe(400);
    expect((await node.post('/films/_update/none', { doc: {} })).status).toBe(404);
    expect((await node.post('/NoIndex/_doc', { n: 1 })).status).toBe(400);
    const mixed = await node.bulk('/films/_bulk', [{ index: {} }, { n: 'no number' }, { delete: { _id: '1' } }]);
    expect(mixed.json().errors).toBe(true);
  });

  it('when the connection is closed meanwhile', async () => {
    const leaving = new AbortController();
    const left = await holding(LIMIT / 2, leaving.signal);
    leaving.abort();
    expect(await left.status).toBe(0);
  });
});

it('a change by query whose writes do not fit tries again until they do', async () => {
  await node.put('/films/_doc/large', { text: 'x'.repeat(0.75 * LIMIT) });
  await node.post('/films/_refresh');
  const first = await holding(LIMIT / 2);
  const query = { ids: { values: ['large'] } };
  const started = await node.post('/films/_update_by_query?wait_for_completion=false&conflicts=proceed', { query });
  const { task } = started.json();
  await node.until(async () => {
    const { status } = (await node.get(`/_tasks/${task}`)).json().task;
    return status.retries.bulk > 0 ? true : undefined;
  });
  await node.post('/films/_refresh');
  expect(await first.status).toBe(201);
  const ended = await node.until(async () => {
    const found = (await node.get(`/_tasks/${task}`)).json();
    return found.completed === true ? found : undefined;
  });
  expect(ended.response).toMatchObject({ updated: 1, failures: [] });
});

describe('changes by query of a page that is larger than the limit', () => {
  const COUNT = 20;
  const document = JSON.stringify({ page: 1, text: 'x'.repeat(LIMIT / 8) });
  const query = { term: { page: 1 } };

  beforeAll(async () => {
    for (let n = 0; n < COUNT; n++) expect((await node.put(`/pages/_doc/${n}`, document)).status).toBe(201);
    await node.post('/pages/_refresh');
  });

  it('are made in pieces that fit', async () => {
    const copied = await node.post('/_reindex?refresh', { source: { index: 'pages' }, dest: { index: 'copies' } });
    expect(copied.json()).toMatchObject({ created: COUNT, failures: [], batches: 1, retries: { bulk: 2 } });
    expect((await node.get('/copies/_count')).json().count).toBe(COUNT);
    expect((await node.get('/copies/_source/7')).text).toBe(document);
    const changed = await node.post('/pages/_update_by_query?refresh', { query });
    expect(changed.json()).toMatchObject({ updated: COUNT, failures: [], retries: { bulk: 2 } });
  });

  it('count what they write, and deletions no documents', async () => {
    const counted = async (path: string, body: Json): Promise<number> => {
      const before = (await memory()).total.coordinating_in_bytes;
      expect((await node.post(path, body)).json()).toMatchObject({ failures: [], retries: { bulk: 0 } });
      return (await memory()).total.coordinating_in_bytes - before;
    };
    expect(await counted('/pages/_update_by_query?max_docs=3&refresh', { query })).toBe(
      3 * (document.length + OPERATION_BYTES),
    );
    expect(await counted('/pages/_delete_by_query?refresh', { query })).toBe(COUNT * OPERATION_BYTES);
  });
});

it('the metrics tell the same', async () => {
  const { text } = await node.get('/_prometheus/metrics');
  const { total } = await memory();
  const valueOf = (name: string, stage: string): number | undefined => {
    const value = new RegExp(`^quarry_indexing_pressure_${name}\\{stage="${stage}"[^}]*\\} (.*)$`, 'm').exec(text)?.[1];
    return value === undefined ? undefined : Number(value);
  };
  expect(valueOf('memory_limit_bytes', 'coordinating')).toBe(LIMIT);
  expect(valueOf('memory_limit_bytes', 'replica')).toBe(1.5 * LIMIT);
  expect(valueOf('memory_bytes', 'primary')).toBe(0);
  expect(valueOf('memory_taken_bytes_total', 'primary')).toBe(total.primary_in_bytes);
  expect(valueOf('rejections_total', 'coordinating')).toBe(total.coordinating_rejections);
  expect(total.coordinating_rejections).toBeGreaterThan(0);
});

it('the cluster tells the sum', async () => {
  const { indexing_pressure } = (await node.get('/_cluster/stats')).json().nodes;
  expect(indexing_pressure.memory).toEqual(await memory());
});
