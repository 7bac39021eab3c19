/** What operators call before they stop nodes: voting exclusions and shutdowns. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode } from './node-harness.js';

const EXCLUSIONS = '/_cluster/voting_config_exclusions';
let node: TestNode;
let id: string;

beforeAll(async () => {
  node = await TestNode.start({ 'node.name': 'n1' });
  id = (await node.get('/_cat/nodes?h=id&full_id=true')).text.trim();
});

afterAll(async () => {
  await node.stop();
});

async function excluded(): Promise<unknown> {
  const { metadata } = (await node.get('/_cluster/state/metadata')).json();
  return metadata.cluster_coordination.voting_config_exclusions;
}

describe('voting exclusions', () => {
  it('of nodes that are not there are kept until they are cleared', async () => {
    const answer = await node.post(`${EXCLUSIONS}?node_ids=nodeId1,nodeId2`);
    expect([answer.status, answer.json()]).toEqual([200, { acknowledged: true }]);
    expect(await excluded()).toEqual([
      { node_id: 'nodeId1', node_name: '_absent_' },
      { node_id: 'nodeId2', node_name: '_absent_' },
    ]);
    expect((await node.delete(EXCLUSIONS)).status).toBe(200);
    expect(await excluded()).toEqual([]);
  });

  it('of the only node are refused', async () => {
    const answer = await node.post(`${EXCLUSIONS}?node_names=n1`);
    expect(answer.status).toBe(400);
    expect(answer.json().error.reason).toBe(
      'add voting config exclusions request for [n1] would leave no node that can be the master',
    );
  });

  it.each(['', '?node_names=', '?node_names=a&node_ids=b'])('with %j are refused', async (query) => {
    const answer = await node.post(`${EXCLUSIONS}${query}`);
    expect(answer.status).toBe(400);
    expect(answer.json().error.reason).toBe('You must set [node_names] or [node_ids] but not both');
  });
});

describe('a shutdown', () => {
  it('is registered, told of and withdrawn', async () => {
    const body = { type: 'restart', reason: 'new kernel', allocation_delay: '10m' };
    expect((await node.put(`/_nodes/${id}/shutdown`, body)).json()).toEqual({ acknowledged: true });
    const { nodes } = (await node.get(`/_nodes/${id}/shutdown`)).json();
    expect(nodes).toHaveLength(1);
    expect(nodes[0]).toMatchObject({
      node_id: id,
      type: 'RESTART',
      reason: 'new kernel',
      allocation_delay: '10m',
      status: 'COMPLETE',
      shard_migration: { status: 'COMPLETE', shard_migrations_remaining: 0 },
    });
    expect((await node.get('/_nodes/shutdown')).json().nodes).toHaveLength(1);
    expect((await node.get('/_nodes/other/shutdown')).json().nodes).toEqual([]);
    expect((await node.delete(`/_nodes/${id}/shutdown`)).status).toBe(200);
    const again = await node.delete(`/_nodes/${id}/shutdown`);
    expect([again.status, again.json().error.reason]).toEqual([404, `node [${id}] is not currently shutting down`]);
  });

  it('of type sigterm has a grace period', async () => {
    const body = { type: 'SIGTERM', reason: 'scaled down', grace_period: '10m' };
    expect((await node.put(`/_nodes/${id}/shutdown`, body)).json()).toEqual({ acknowledged: true });
    const { nodes } = (await node.get(`/_nodes/${id}/shutdown`)).json();
    expect(nodes[0]).toMatchObject({ type: 'SIGTERM', grace_period: '10m', status: 'COMPLETE' });
    await node.delete(`/_nodes/${id}/shutdown`);
  });

  it.each([
    [{}, 'Required [type, reason]'],
    [{ type: 'remove' }, 'Required [reason]'],
    [{ type: 'remove', reason: ' ' }, 'Validation Failed: 1: the reason for shutdown is required;'],
    [{ type: 'later', reason: 'x' }, 'unknown shutdown type: later'],
    [
      { type: 'remove', reason: 'x', allocation_delay: '1m' },
      'Validation Failed: 1: allocation_delay is only allowed for RESTART-type shutdown requests;',
    ],
    [
      { type: 'replace', reason: 'x' },
      'Validation Failed: 1: target node name is required for REPLACE type shutdowns;',
    ],
    [{ type: 'sigterm', reason: 'x' }, 'Validation Failed: 1: grace period is required for SIGTERM shutdowns;'],
    [
      { type: 'remove', reason: 'x', grace_period: '1m' },
      'Validation Failed: 1: grace period is only valid for SIGTERM type shutdowns, but was given type [REMOVE] and ' +
        'grace period [1m];',
    ],
    [{ type: 'remove', reason: 'x', force: 'y' }, '[put_shutdown_node_request] unknown field [force]'],
  ])('of %j is refused', async (body, reason) => {
    const answer = await node.put(`/_nodes/${id}/shutdown`, body);
    expect([answer.status, answer.json().error.reason]).toEqual([400, reason]);
  });
});
