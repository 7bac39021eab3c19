import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

/** By id. */
const LATENCIES: Readonly<Record<string, Json>> = {
  a: { route: 'x', latency: { values: [0.1, 0.2, 0.3, 0.4, 0.5], counts: [3, 7, 23, 12, 6] } },
  b: { route: 'x', latency: { counts: [8, 17, 8, 0, 6], values: [0.1, 0.2, 0.3, 0.35, 0.4] } },
  c: { route: 'y', latency: { values: [], counts: [] } },
  d: { route: 'y', latency: null },
  e: { route: 'y', loose: { values: [2, 1], counts: [1, 1] } },
};

beforeAll(async () => {
  node = await TestNode.start();
  await node.put('/routes', {
    settings: { number_of_shards: 2, number_of_replicas: 0 },
    mappings: {
      properties: {
        route: { type: 'keyword' },
        latency: { type: 'histogram', meta: { unit: 's' } },
        loose: { type: 'histogram', ignore_malformed: true },
      },
    },
  });
  await node.bulk(
    '/routes/_bulk?refresh',
    Object.entries(LATENCIES).flatMap(([id, latency]) => [{ index: { _id: id } }, latency]),
  );
});

afterAll(async () => {
  await node.stop();
});

async function aggregate(aggs: Json): Promise<Json> {
  const answer = await node.post('/routes/_search', { size: 0, aggs });
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([200, expect.anything()]);
  return answer.json().aggregations;
}

async function ids(query: unknown): Promise<string> {
  const { hits } = (await node.post('/routes/_search', { query })).json().hits;
  return hits
    .map((hit: Json) => hit._id)
    .sort()
    .join('');
}

const refusal = async (body: unknown): Promise<string> => {
  const answer = await node.post('/routes/_search', body);
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([400, expect.anything()]);
  return answer.json().error.root_cause[0].reason;
};

describe('aggregations of histograms', () => {
  it('count what was counted, not documents', async () => {
    const field = 'latency';
    const kinds = ['min', 'max', 'sum', 'avg', 'value_count'];
    const found = await aggregate({
      ...Object.fromEntries(kinds.map((kind) => [kind, { [kind]: { field } }])),
      steps: { histogram: { field, interval: 0.2 } },
      ranges: { range: { field, ranges: [{ to: 0.2 }, { from: 0.2, to: 0.4 }, { from: 0.3 }] } },
      none: { missing: { field } },
    });
    const value = (kind: string): number => found[kind].value;
    expect([value('min'), value('max'), value('value_count')]).toEqual([0.1, 0.5, 90]);
    expect(value('sum')).toBeCloseTo(25.4, 10);
    expect(value('avg')).toBeCloseTo(25.4 / 90, 10);
    const counts = (name: string): Json => found[name].buckets.map((bucket: Json) => bucket.doc_count);
    expect(counts('steps')).toEqual([11, 55, 24]);
    expect(counts('ranges')).toEqual([11, 55, 55]);
    expect(found.none.doc_count).toBe(2);
  });

  it('give quantiles, by bucket too', async () => {
    const found = await aggregate({
      routes: {
        terms: { field: 'route', order: { _key: 'asc' } },
        aggs: {
          digest: { percentiles: { field: 'latency', percents: [1, 50, 99] } },
          hdr: { percentiles: { field: 'latency', percents: [50], hdr: { number_of_significant_value_digits: 3 } } },
          ranks: { percentile_ranks: { field: 'latency', values: [0.5] } },
          box: { boxplot: { field: 'latency' } },
        },
      },
    });
    const [x, y] = found.routes.buckets;
    expect(x.digest.values).toEqual({ '1.0': 0.1, '50.0': 0.3, '99.0': 0.5 });
    expect(x.hdr.values['50.0']).toBeCloseTo(0.3, 2);
    expect(x.ranks.values['0.5']).toBeGreaterThan(96);
    expect([x.box.min, x.box.q2, x.box.max]).toEqual([0.1, 0.3, 0.5]);
    expect(y.digest.values['50.0']).toBeNull();
  });

  it('refuse what histograms do not know', async () => {
    const of = (kind: string, more: Json = {}) =>
      refusal({ size: 0, aggs: { h: { [kind]: { field: 'latency', ...more } } } });
    for (const kind of ['terms', 'stats', 'extended_stats', 'cardinality', 'median_absolute_deviation']) {
      expect(await of(kind)).toBe(`Field [latency] of type [histogram] is not supported for aggregation [${kind}]`);
    }
    expect(await of('avg', { missing: 1 })).toContain("Can't apply missing values");
    const below = { h: { histogram: { field: 'latency', interval: 1 }, aggs: { m: { max: { field: 'latency' } } } } };
    expect(await refusal({ size: 0, aggs: below })).toContain('does not support sub-aggregations');
  });
});

describe('histograms', () => {
  it('exist, are shown, and are not searched, sorted or read by scripts', async () => {
    expect(await ids({ exists: { field: 'latency' } })).toBe('abc');
    expect(await ids({ term: { _ignored: 'loose' } })).toBe('e');
    expect(await ids({ query_string: { query: '0.1' } })).toBe('');
    expect(await refusal({ query: { term: { latency: 0.1 } } })).toContain(
      '[histogram] field do not support searching, use dedicated aggregations instead: [latency]',
    );
    expect(await refusal({ sort: 'latency' })).toContain('[latency]');
    expect(await refusal({ docvalue_fields: ['latency'] })).toContain('[latency]');
    const shown = await node.post('/routes/_search', { query: { ids: { values: ['a'] } }, fields: ['*'] });
    expect(shown.json().hits.hits[0].fields).toEqual({ route: ['x'], latency: [LATENCIES['a'].latency] });
    const { fields } = (await node.get('/routes/_field_caps?fields=l*')).json();
    expect(fields.latency.histogram).toMatchObject({ searchable: false, aggregatable: true });
    expect(Object.keys(fields).sort()).toEqual(['latency', 'loose']);
  });

  it('are refused with the field and the reason', async () => {
    const put = async (latency: unknown): Promise<string> => {
      const answer = await node.put('/routes/_doc/x', { latency });
      expect(answer.status).toBe(400);
      expect(answer.json().error.reason).toContain('failed to parse field [latency] of type [histogram]');
      return answer.json().error.caused_by.reason;
    };
    expect(await put({ values: [1] })).toBe('error parsing field [latency], expected field called [counts]');
    expect(await put({ values: [2, 1], counts: [1, 1] })).toContain('values must be in increasing order');
    expect(await put({ values: [1], counts: [-1] })).toContain('elements must be >= 0 but got [-1]');
    expect(await put('text')).toContain('START_OBJECT');
    const one = { values: [1], counts: [1] };
    expect(await put([one, one])).toContain("doesn't support indexing multiple values");
    const part = { type: 'keyword', fields: { h: { type: 'histogram' } } };
    const created = await node.put('/other', { mappings: { properties: { part } } });
    expect([created.status, created.text]).toEqual([400, expect.stringContaining("can't be used in multifields")]);
  });

  it('are the same after a merge and a restart', async () => {
    const before = await aggregate({ sum: { sum: { field: 'latency' } }, n: { value_count: { field: 'latency' } } });
    await node.put('/routes/_doc/f?refresh', { latency: { values: [7], counts: [100] } });
    await node.post('/routes/_forcemerge?max_num_segments=1');
    const { directory } = node;
    await node.signal('SIGTERM');
    node = await TestNode.start({}, directory);
    const after = await aggregate({ sum: { sum: { field: 'latency' } }, n: { value_count: { field: 'latency' } } });
    expect(after.n.value).toBe(before.n.value + 100);
    expect(after.sum.value).toBeCloseTo(before.sum.value + 700, 9);
  });
});
