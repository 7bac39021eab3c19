/** What shippers and dashboards look for before they send anything. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestNode } from './node-harness.js';

let node: TestNode;
beforeAll(async () => {
  node = await TestNode.start();
});
afterAll(async () => {
  await node.stop();
});

test('the licence is a basic one and active', async () => {
  const { license } = (await node.get('/_license?accept_enterprise=true')).json();
  expect(license).toMatchObject({ status: 'active', type: 'basic', max_nodes: 1000, start_date_in_millis: -1 });
  expect(license.uid).toBe((await node.get('/')).json().cluster_uuid);
  expect((await node.get('/_license?accept_enterprise=false')).status).toBe(400);
  expect((await node.get('/_license/basic_status')).json()).toEqual({ eligible_to_start_basic: false });
  expect((await node.get('/_license/trial_status')).json()).toEqual({ eligible_to_start_trial: false });
});

test('_xpack tells the categories that are asked for', async () => {
  const all = (await node.get('/_xpack')).json();
  expect(Object.keys(all)).toEqual(['build', 'license', 'features', 'tagline']);
  expect(all.license).toMatchObject({ type: 'basic', mode: 'basic', status: 'active' });
  expect(all.features).toMatchObject({
    ilm: { available: true, enabled: true },
    ml: { available: false, enabled: false },
  });
  const some = (await node.get('/_xpack?categories=license&human=false')).json();
  expect(Object.keys(some)).toEqual(['license']);
  const wrong = await node.get('/_xpack?categories=licence');
  expect(wrong.status).toBe(400);
  expect(wrong.json().error.reason).toContain('[licence]');
});

test('_xpack/usage counts, _features lists', async () => {
  await node.put('/_index_template/events', { index_patterns: ['events-*'], data_stream: {}, priority: 600 });
  await node.put('/_data_stream/events-1');
  const usage = (await node.get('/_xpack/usage')).json();
  expect(usage.data_streams).toEqual({ available: true, enabled: true, data_streams: 1, indices_count: 1 });
  expect(usage.security).toEqual({ available: true, enabled: false });
  expect((await node.get('/_features')).json()).toEqual({
    features: [{ name: 'security', description: expect.stringMatching(/^Users, roles, /) }],
  });
});

test('figures of other products are refused as those of nobody who collects them', async () => {
  const path = '/_monitoring/bulk?system_id=logstash&system_api_version=7&interval=10s';
  const lines = [{ index: { _type: 'logstash_stats' } }, { events: 1 }];
  expect((await node.bulk(path, lines)).json()).toEqual({ took: 0, ignored: true, errors: false });
  const incomplete = await node.bulk('/_monitoring/bulk?system_id=logstash', lines);
  expect(incomplete.status).toBe(400);
  expect(incomplete.json().error.reason).toBe('no [system_api_version] for monitoring bulk request');
  expect((await node.post(path)).status).toBe(400);
});

test('the health report follows the cluster', async () => {
  await node.put('/lonely', { settings: { number_of_replicas: 1 } });
  const report = (await node.get('/_health_report')).json();
  expect(report.status).toBe('yellow');
  const { shards_availability: shards, master_is_stable: master } = report.indicators;
  expect(shards).toMatchObject({ status: 'yellow', details: { unassigned_replicas: expect.any(Number) } });
  expect(shards.symptom).toMatch(/^This cluster has \d unavailable replica shards?\.$/);
  expect(shards.impacts[0].description).toContain('lonely');
  expect(master.status).toBe('green');
  const one = (await node.get('/_health_report/shards_availability?verbose=false')).json();
  expect(one.status).toBeUndefined();
  expect(one.indicators.shards_availability.details).toBeUndefined();
  expect((await node.get('/_health_report/nothing')).status).toBe(404);
  await node.put('/lonely/_settings', { number_of_replicas: 0, 'index.blocks.read_only_allow_delete': true });
  expect((await node.get('/_health_report/disk')).json().indicators.disk).toMatchObject({ status: 'red' });
  await node.delete('/lonely');
});

test('OpenSearch has none of these', async () => {
  const twin = await TestNode.start({ 'compatibility.distribution': 'opensearch' });
  try {
    const features = '/_migration/system_features';
    for (const path of ['/_license', '/_xpack', '/_xpack/usage', '/_features', '/_health_report', features]) {
      const answer = await twin.get(path);
      expect(answer.status).toBe(400);
      expect(answer.text).toContain(`[GET ${path}] is not part of Quarry`);
    }
  } finally {
    await twin.stop();
  }
});
