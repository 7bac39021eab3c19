/** What comes with a cluster for shippers: `logs-*-*` and the like become data streams. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode } from './node-harness.js';

const STACK = ['logs', 'metrics', 'synthetics', 'traces'];

const templatesOf = async (node: TestNode): Promise<readonly string[]> =>
  (await node.get('/_cat/templates?h=name&s=name')).text.trim().split(/\s+/).filter(Boolean);

describe('a new cluster', () => {
  let node: TestNode;
  beforeAll(async () => {
    node = await TestNode.start();
  });
  afterAll(async () => {
    await node.stop();
  });

  it('has the templates, their parts, the policies and the pipeline', async () => {
    expect(await templatesOf(node)).toEqual(STACK);
    const parts = (await node.get('/_component_template')).json().component_templates as { name: string }[];
    expect(parts.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['data-streams@mappings', 'ecs@mappings', 'logs@mappings', 'logs@settings']),
    );
    const policies = Object.keys((await node.get('/_ilm/policy')).json() as object);
    expect(policies).toEqual(
      expect.arrayContaining(['logs', 'logs@lifecycle', '30-days-default', '365-days@lifecycle']),
    );
    expect((await node.get('/_ingest/pipeline/logs@default-pipeline')).status).toBe(200);
  });

  it('makes data streams of what shippers send', async () => {
    const lines = [
      { create: {} },
      {
        '@timestamp': '2024-05-01T00:00:00Z',
        message: 'to be found',
        host: { name: 'a', ip: '10.0.0.1' },
        client: { geo: { location: { lat: 1, lon: 2 } } },
        data_stream: { type: 'logs', dataset: 'app', namespace: 'default' },
      },
      { create: {} },
      { message: 'without a time' },
      { create: {} },
      { '@timestamp': 'garbage' },
    ];
    const sent = (await node.bulk('/logs-app-default/_bulk?refresh=true', lines)).json();
    expect(sent.items.map((item: { create: { status: number } }) => item.create.status)).toEqual([201, 201, 400]);
    const [stream] = (await node.get('/_data_stream/logs-app-default')).json().data_streams;
    expect(stream).toMatchObject({ template: 'logs', ilm_policy: 'logs', generation: 1 });
    const found = (await node.get('/logs-*/_search?q=message:found AND host.ip:10.0.0.0\\/8')).json();
    expect(found.hits.total.value).toBe(1);
    const times = (await node.get('/logs-app-default/_search?q=message:time')).json().hits.hits;
    expect(Date.parse(times[0]._source['@timestamp'])).toBeGreaterThan(Date.parse('2025-01-01'));
    const [mapping] = Object.values<{ mappings: { properties: object } }>(
      (await node.get('/logs-app-default/_mapping')).json(),
    );
    expect(mapping?.mappings.properties).toMatchObject({
      client: { properties: { geo: { properties: { location: { type: 'geo_point' } } } } },
      host: {
        properties: { ip: { type: 'ip' }, name: { type: 'keyword', fields: { text: { type: 'match_only_text' } } } },
      },
      message: { type: 'match_only_text' },
    });
  });

  it.each(['metrics', 'traces', 'synthetics'])('has %s streams as well', async (type) => {
    const document = { '@timestamp': '2024-05-01T00:00:00Z', cpu: { pct: 0.5, n: 3 }, message: 'm' };
    expect((await node.post(`/${type}-app-default/_doc`, document)).status).toBe(201);
    const [stream] = (await node.get(`/_data_stream/${type}-app-default`)).json().data_streams;
    expect(stream).toMatchObject({ template: type, ilm_policy: type });
  });

  it('gives way to templates of users with a higher priority', async () => {
    await node.put('/_index_template/mine', { index_patterns: ['logs-mine-*'], priority: 101 });
    expect((await node.post('/logs-mine-1/_doc', { n: 1 })).json()._index).toBe('logs-mine-1');
    const same = await node.put('/_index_template/other', { index_patterns: ['logs-other-*'], priority: 100 });
    expect(same.status).toBe(400);
    expect(same.json().error.reason).toContain('that have the same priority [100]');
  });

  it('takes parts that users add', async () => {
    await node.put('/_component_template/logs@custom', { template: { settings: { number_of_replicas: 0 } } });
    await node.post('/logs-custom-default/_doc', { message: 'm' });
    const [settings] = Object.values<{ settings: { index: { number_of_replicas: string } } }>(
      (await node.get('/logs-custom-default/_settings')).json(),
    );
    expect(settings?.settings.index.number_of_replicas).toBe('0');
  });

  it('puts back what is deleted until it is told not to', async () => {
    expect((await node.delete('/_index_template/synthetics')).status).toBe(400);
    await node.delete('/_data_stream/synthetics-app-default');
    await node.delete('/_index_template/synthetics');
    await node.until(async () => ((await templatesOf(node)).includes('synthetics') ? true : undefined));
    await node.put('/_cluster/settings', { persistent: { 'stack.templates.enabled': false } });
    await node.delete('/_index_template/synthetics');
    expect(await templatesOf(node)).not.toContain('synthetics');
    await node.put('/_cluster/settings', { persistent: { 'stack.templates.enabled': null } });
    await node.until(async () => ((await templatesOf(node)).includes('synthetics') ? true : undefined));
  });
});

it('is what an older cluster gets, but for names that its own templates are for', async () => {
  const before = await TestNode.start({ 'stack.templates.enabled': 'false' });
  expect(await templatesOf(before)).toEqual([]);
  await before.put('/_template/old', { index_patterns: ['metrics-*'], settings: { number_of_replicas: 0 } });
  await before.put('/_index_template/traces', { index_patterns: ['elsewhere-*'], version: 1 });
  await before.put('/_index_template/mine', { index_patterns: ['logs-*'], priority: 7 });
  await before.signal('SIGTERM');
  const after = await TestNode.start({}, before.directory);
  try {
    await after.until(async () => ((await templatesOf(after)).includes('synthetics') ? true : undefined));
    expect(await templatesOf(after)).toEqual(['mine', 'old', 'synthetics', 'traces']);
    const [mine] = (await after.get('/_index_template/traces')).json().index_templates;
    expect(mine.index_template.index_patterns).toEqual(['elsewhere-*']);
    const told = (await after.logged()).filter(({ msg }) => msg.endsWith('is left out'));
    expect(told).toEqual([
      expect.objectContaining({ name: 'logs', reason: expect.stringContaining('the templates [mine]') }),
      expect.objectContaining({ name: 'metrics', reason: expect.stringContaining('the templates [old]') }),
    ]);
  } finally {
    await after.stop();
  }
});

it('is nothing that OpenSearch has', async () => {
  const twin = await TestNode.start({ 'compatibility.distribution': 'opensearch' });
  try {
    expect(await templatesOf(twin)).toEqual([]);
    expect((await twin.post('/logs-app-default/_doc', { n: 1 })).json()._index).toBe('logs-app-default');
  } finally {
    await twin.stop();
  }
});
