import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start({ 'node.name': 'only', 'index.number_of_replicas': '0' });
});

afterAll(async () => {
  await node.stop();
});

describe('allocation explain', () => {
  it('has nothing to explain while everything has its place', async () => {
    const answer = await node.get('/_cluster/allocation/explain');
    expect([answer.status, answer.json().error.type]).toEqual([400, 'illegal_argument_exception']);
    expect(answer.json().error.reason).toMatch(/^unable to find any unassigned shards to explain \[/);
  });

  it('asks for index, shard and primary together, and knows no other members', async () => {
    const some = await node.post('/_cluster/allocation/explain', { index: 'x' });
    expect([some.status, some.json().error.reason]).toEqual([
      400,
      'Validation Failed: 1: shard must be specified;2: primary must be specified;',
    ]);
    const other = await node.post('/_cluster/allocation/explain', { node: 'x' });
    expect(other.json().error.reason).toBe('[cluster_allocation_explain] unknown field [node]');
  });

  it('explains the replica that a single node cannot hold, then the started primary', async () => {
    await node.put('/copied', { settings: { number_of_replicas: 1 } });
    const replica = (await node.get('/_cluster/allocation/explain?include_disk_info=true')).json();
    expect(replica).toMatchObject({ index: 'copied', shard: 0, primary: false, can_allocate: 'no' });
    expect(replica.node_allocation_decisions[0].deciders[0].decider).toBe('same_shard');
    expect(replica.cluster_info).toBeDefined();
    const primary = await node.post('/_cluster/allocation/explain', { index: 'copied', shard: 0, primary: true });
    expect(primary.json()).toMatchObject({ current_state: 'started', can_remain_on_current_node: 'yes' });
    await node.delete('/copied');
  });
});

describe('an index without any copy', () => {
  it('is left out of searches, or has them refused, as they say or the setting does', async () => {
    const filter = { 'index.routing.allocation.require._name': 'nobody' };
    await node.put('/nowhere?wait_for_active_shards=0', { settings: { number_of_replicas: 0, ...filter } });
    await node.put('/somewhere', { settings: { number_of_replicas: 0 } });
    const path = '/nowhere,somewhere/_search';
    expect((await node.get(path)).json()._shards).toMatchObject({ total: 2, successful: 1, failed: 1 });
    const refusal = {
      status: 503,
      error: {
        type: 'search_phase_execution_exception',
        reason:
          'Search rejected due to missing shards [[nowhere][0]]. Consider using `allow_partial_search_results` setting ' +
          'to bypass this error.',
        phase: 'query',
        failed_shards: [],
      },
    };
    expect((await node.get(`${path}?allow_partial_search_results=false`)).json()).toMatchObject(refusal);
    const setting = (value: boolean | null) => ({ persistent: { 'search.default_allow_partial_results': value } });
    await node.put('/_cluster/settings', setting(false));
    expect((await node.get(path)).json()).toMatchObject(refusal);
    expect((await node.get(`${path}?allow_partial_search_results=true`)).status).toBe(200);
    await node.put('/_cluster/settings', setting(null));
    expect((await node.get(path)).status).toBe(200);
    await node.delete('/nowhere,somewhere');
  });
});

describe('reroute', () => {
  it('gives the state without metadata, or the parts that are named', async () => {
    const all = (await node.post('/_cluster/reroute')).json();
    expect(all.acknowledged).toBe(true);
    expect([all.state.metadata, all.explanations]).toEqual([undefined, undefined]);
    expect(Object.keys(all.state)).toContain('routing_table');
    const some = (await node.post('/_cluster/reroute?metric=metadata')).json();
    expect(Object.keys(some.state)).toEqual(['cluster_uuid', 'metadata']);
    expect((await node.post('/_cluster/reroute?metric=none')).json()).toEqual({ acknowledged: true });
    const others = (await node.post('/_cluster/reroute?metric=none,version,of_later')).json();
    expect(Object.keys(others.state)).toEqual(['cluster_uuid', 'version', 'state_uuid']);
  });

  it('explains commands, and refuses those that cannot be', async () => {
    await node.put('/moving');
    const cancel = { commands: [{ cancel: { index: 'moving', shard: 0, node: 'only' } }] };
    const refused = await node.post('/_cluster/reroute', cancel);
    expect([refused.status, refused.json().error.type]).toEqual([400, 'illegal_argument_exception']);
    const explained = (await node.post('/_cluster/reroute?explain&dry_run', cancel)).json();
    expect(explained.explanations).toMatchObject([
      { command: 'cancel', decisions: [{ decider: 'cancel_allocation_command', decision: 'NO' }] },
    ]);
    expect((await node.post('/_cluster/reroute', { comands: [] })).json().error.reason).toBe(
      '[cluster_reroute] unknown field [comands]',
    );
  });
});

describe('the version of the metadata', () => {
  it('can be waited for', async () => {
    const wait = (version: number, timeout: string) =>
      node.get(`/_cluster/state/version?wait_for_metadata_version=${version}&wait_for_timeout=${timeout}`);
    const later = wait(1_000, '1ms');
    expect((await later).json()).toMatchObject({ wait_for_timed_out: true });
    expect((await wait(1, '30s')).json()).toMatchObject({ version: expect.any(Number) });
    const refused = await wait(0, '30s');
    expect([refused.status, refused.json().error.reason]).toEqual([
      400,
      'provided waitForMetadataVersion should be >= 1, but instead is [0]',
    ]);
    let known = 1;
    while ((await wait(known + 1, '1ms')).json().wait_for_timed_out !== true) known++;
    const next = wait(known + 1, '30s');
    await node.put('/_cluster/settings', { persistent: { 'cluster.max_shards_per_node': 1234 } });
    expect((await next).json().wait_for_timed_out).toBeUndefined();
    await node.put('/_cluster/settings', { persistent: { 'cluster.max_shards_per_node': null } });
  });
});

describe('settings of allocation', () => {
  it('are checked together', async () => {
    const marks = { 'cluster.routing.allocation.disk.watermark.low': '95%' };
    const answer = await node.put('/_cluster/settings', { transient: marks });
    expect([answer.status, answer.json().error.reason]).toEqual([
      400,
      'low disk watermark [95%] more than high disk watermark [90%]',
    ]);
    const force = { 'cluster.routing.allocation.awareness.force.zone': 'a' };
    expect((await node.put('/_cluster/settings', { transient: force })).status).toBe(400);
  });
});
