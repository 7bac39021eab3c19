/** What lies on disks when nodes go and come: primaries are found wherever they are, what is of no use goes, nothing comes back. */
import { cp, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { must } from '../../src/base/assert.js';
import type { Json } from '../api/node-harness.js';
import { TestCluster, type TestMember } from './cluster-harness.js';

const DOCUMENTS = 50;

// Nodes are started again and again.
vi.setConfig({ testTimeout: 240_000 });

let cluster: TestCluster;

afterEach(async () => {
  await cluster.stop();
});

function indicesOf(member: TestMember): string {
  return join(member.home, 'data', 'indices');
}

/** `<uuid>/<shard>` of each directory of a shard. */
async function shardsOn(member: TestMember): Promise<readonly string[]> {
  const found: string[] = [];
  for (const uuid of await readdir(indicesOf(member))) {
    const names = await readdir(join(indicesOf(member), uuid));
    for (const shard of names.filter((name) => /^\d+$/.test(name))) found.push(`${uuid}/${shard}`);
  }
  return found;
}

async function create(name: string, replicas: number, more: Json = {}): Promise<string> {
  const body = { settings: { number_of_shards: 1, number_of_replicas: replicas, ...more } };
  expect((await cluster.node().put(`/${name}`, body)).status).toBe(200);
  await cluster.waitForHealth();
  const lines = Array.from({ length: DOCUMENTS }, (_, n) => [{ index: { _id: String(n) } }, { n }]).flat();
  expect((await cluster.node().bulk(`/${name}/_bulk`, lines)).json().errors).toBe(false);
  return (await cluster.node().get(`/${name}/_settings?flat_settings`)).json()[name].settings['index.uuid'];
}

async function expectDocuments(name: string): Promise<void> {
  await cluster.until(`documents of ${name}`, async () => {
    const answer = await cluster.node().post(`/${name}/_refresh`);
    return answer.json()._shards.failed === 0 ? true : undefined;
  });
  expect((await cluster.node().get(`/${name}/_count`)).json().count).toBe(DOCUMENTS);
}

async function holderOf(name: string, prirep = 'p'): Promise<TestMember> {
  const rows = (await cluster.node().get(`/_cat/shards/${name}?format=json&h=prirep,node,state`)).json() as Json[];
  const row = rows.find((each) => each.prirep === prirep && each.state === 'STARTED');
  return cluster.member(must(row, `copy ${prirep} of ${name}`).node);
}

/** In the order of `members`, without waiting for the end of one before the next. */
async function killAll(members = cluster.running): Promise<void> {
  await Promise.all(members.map((member) => member.kill()));
}

test.each(['at once', 'the replica first'])(
  'a primary comes back from a replica when all nodes end, %s',
  async (order) => {
    cluster = await TestCluster.start({ nodes: 3 });
    const uuid = await create('some', 1);
    const primary = await holderOf('some');
    const replica = await holderOf('some', 'r');
    const other = must(
      cluster.members.find((member) => member !== primary && member !== replica),
      'a third node',
    );
    if (order === 'the replica first') {
      await replica.kill();
      await cluster.waitForHealth('wait_for_status=yellow&wait_for_nodes=2');
    }
    await killAll([other, primary, replica].filter((member) => member.isRunning));
    await Promise.all([replica, other].map((member) => member.start()));
    await cluster.waitForHealth('wait_for_status=yellow&wait_for_nodes=2');
    expect((await holderOf('some')).name).toBe(replica.name);
    await expectDocuments('some');
    const { indices } = (await cluster.node().get('/some/_shard_stores?status=all')).json();
    const stores = indices.some.shards['0'].stores as Json[];
    expect(stores.map((store) => [Object.keys(store)[0], store.allocation])).toContainEqual([
      replica.nodeId,
      'primary',
    ]);
    await primary.start();
    await cluster.waitForHealth('wait_for_status=green&wait_for_nodes=3');
    expect(await shardsOn(replica)).toContain(`${uuid}/0`);
  },
);

test('nodes that come back with each other’s names and ports bring back what they have', async () => {
  cluster = await TestCluster.start({ nodes: 3 });
  await create('swapped', 0);
  const holder = await holderOf('swapped');
  const other = must(
    cluster.members.find((member) => member !== holder),
    'another node',
  );
  await killAll();
  const as = ({ name, ports }: TestMember): Record<string, string> => ({
    'node.name': name,
    'http.port': String(ports.http),
    'transport.port': String(ports.transport),
    'transport.publish_port': String(ports.published),
  });
  const rest = cluster.members.filter((member) => member !== holder && member !== other);
  await Promise.all([holder.start(as(other)), other.start(as(holder)), ...rest.map((member) => member.start())]);
  await cluster.waitForHealth('wait_for_status=green&wait_for_nodes=3');
  const [row] = (await cluster.node().get('/_cat/shards/swapped?format=json&h=node')).json();
  expect(row.node).toBe(other.name);
  await expectDocuments('swapped');
});

test('a primary is found on whichever node its files are; a stale copy is not taken for it', async () => {
  cluster = await TestCluster.start({ nodes: 3 });
  const uuid = await create('moved', 0);
  const holder = await holderOf('moved');
  const [target, stale] = cluster.members.filter((member) => member !== holder) as [TestMember, TestMember];
  await killAll();
  for (const member of [target, stale]) await mkdir(join(indicesOf(member), uuid), { recursive: true });
  await rename(join(indicesOf(holder), uuid, '0'), join(indicesOf(target), uuid, '0'));
  // A directory without its commit point is no copy.
  await cp(join(indicesOf(target), uuid, '0', 'copy'), join(indicesOf(stale), uuid, '0', 'copy'), { recursive: true });
  await Promise.all(cluster.members.map((member) => member.start()));
  await cluster.until('the primary on its new node', async () =>
    (await holderOf('moved')).name === target.name ? true : undefined,
  );
  await expectDocuments('moved');
  const answer = (await cluster.node().get('/moved/_shard_stores?status=green')).json();
  const stores = answer.indices.moved.shards['0'].stores as Json[];
  expect(stores[0]).toMatchObject({ allocation: 'primary' });
});

test('without any copy the shard stays lost, explain says so, and only a command makes an empty one', async () => {
  cluster = await TestCluster.start({ nodes: 3 });
  await create('lost', 0);
  const holder = await holderOf('lost');
  await holder.kill();
  const explained = await cluster.until('an explanation', async () => {
    const answer = (
      await cluster.node().post('/_cluster/allocation/explain', { index: 'lost', shard: 0, primary: true })
    ).json();
    return answer.can_allocate === 'no_valid_shard_copy' && answer.node_allocation_decisions?.length === 2
      ? answer
      : undefined;
  });
  expect(explained.allocate_explanation).toContain('can no longer be found on the nodes in the cluster');
  expect(explained.node_allocation_decisions.map(({ store }: Json) => store)).toEqual([
    { found: false },
    { found: false },
  ]);
  const name = must(cluster.running[0], 'a running node').name;
  const force = (kind: string): Json => ({
    commands: [{ [kind]: { index: 'lost', shard: 0, node: name, accept_data_loss: true } }],
  });
  const stale = await cluster.node().post('/_cluster/reroute', force('allocate_stale_primary'));
  expect([stale.status, stale.json().error.reason]).toEqual([
    400,
    `[allocate_stale_primary] No data for shard [0] of index [lost] found on node [${name}]`,
  ]);
  expect((await cluster.node().post('/_cluster/reroute', force('allocate_empty_primary'))).status).toBe(200);
  await cluster.waitForHealth();
});

test('files of a copy that moved away are removed once all copies serve, and not before', async () => {
  cluster = await TestCluster.start({ nodes: 2, settings: { 'cluster.routing.rebalance.enable': 'none' } });
  const uuid = await create('moving', 1);
  const from = await holderOf('moving');
  const to = must(
    cluster.members.find((member) => member !== from),
    'another node',
  );
  const reroute = async (command: Json): Promise<void> => {
    const answer = await cluster.node().post('/_cluster/reroute', { commands: [command] });
    expect(answer.status, answer.text).toBe(200);
  };
  // A replica that has no place: the old directory may still be of use.
  await cluster.node().put('/moving/_settings', { 'index.routing.allocation.include._name': to.name });
  await reroute({ cancel: { index: 'moving', shard: 0, node: from.name, allow_primary: true } });
  await cluster.until('the primary on the other node', async () =>
    (await holderOf('moving')).name === to.name ? true : undefined,
  );
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(await shardsOn(from)).toEqual([`${uuid}/0`]);
  await cluster.node().put('/moving/_settings', { number_of_replicas: 0 });
  await cluster.until('the directory is gone', async () => ((await shardsOn(from)).length === 0 ? true : undefined));
  await cluster.node().put('/moving/_settings', { 'index.routing.allocation.include._name': null });
  await reroute({ move: { index: 'moving', shard: 0, from_node: to.name, to_node: from.name } });
  await cluster.until('the directory is gone', async () => ((await shardsOn(to)).length === 0 ? true : undefined));
  expect(await shardsOn(from)).toEqual([`${uuid}/0`]);
  await expectDocuments('moving');
});

test('an index that is deleted while a node is away does not come back with it', async () => {
  cluster = await TestCluster.start({ nodes: 3 });
  const uuid = await create('deleted', 2);
  const away = must(cluster.members[2], 'a node');
  await away.kill();
  await cluster.waitForHealth('wait_for_nodes=2');
  await cluster.node().delete('/deleted');
  expect(await shardsOn(away)).toEqual([`${uuid}/0`]);
  await away.start();
  await cluster.waitForHealth('wait_for_nodes=3');
  await cluster.until('its files are gone', async () => ((await shardsOn(away)).length === 0 ? true : undefined));
  const { metadata } = (await cluster.node().get('/_cluster/state/metadata')).json();
  expect(metadata['index-graveyard'].tombstones[0].index).toEqual({ index_name: 'deleted', index_uuid: uuid });
});

test('an index is taken back from its files when no node knows its cluster any more', async () => {
  cluster = await TestCluster.start({ nodes: 2 });
  const uuid = await create('orphan', 1);
  const alias = { actions: [{ add: { index: 'orphan', alias: 'other' } }] };
  expect((await cluster.node().post('/_aliases', alias)).status).toBe(200);
  const mapping = (await cluster.node().get('/orphan/_mapping')).text;
  // What nodes write down follows what the cluster says.
  const isWritten = async (member: TestMember): Promise<boolean> =>
    (await readFile(join(indicesOf(member), uuid, 'index'), 'utf8').catch(() => '')).includes('"other"');
  await cluster.until('all nodes to have written it down', async () =>
    (await Promise.all(cluster.members.map(isWritten))).every(Boolean) ? true : undefined,
  );
  await Promise.all(cluster.members.map((member) => member.terminate()));
  for (const { home } of cluster.members) await rm(join(home, 'data', 'cluster'), { recursive: true });
  await Promise.all(cluster.members.map((member) => member.start()));
  await cluster.waitForHealth('wait_for_nodes=2');
  const [found] = (await cluster.node().get('/_dangling')).json().dangling_indices;
  expect([found.index_name, found.index_uuid, found.node_ids.length]).toEqual(['orphan', uuid, 2]);
  const path = `/_dangling/${uuid}?accept_data_loss=true`;
  expect((await cluster.node().post(path)).json()).toEqual({ acknowledged: true });
  await cluster.waitForHealth('wait_for_status=green');
  await expectDocuments('other');
  expect((await cluster.node().get('/orphan/_mapping')).text).toBe(mapping);
  expect((await cluster.node().get('/_dangling')).json().dangling_indices).toEqual([]);
  expect((await cluster.node().post(path)).json().error.reason).toBe(`No dangling index found for UUID [${uuid}]`);
  await cluster.node().delete('/orphan');
  await cluster.until('its files are gone', async () =>
    (await Promise.all(cluster.members.map((member) => readdir(indicesOf(member))))).flat().length === 0
      ? true
      : undefined,
  );
});

test('files of indices that the cluster does not know are listed, and deleted on demand only', async () => {
  cluster = await TestCluster.start({ nodes: 1 });
  const uuid = await create('known', 0);
  const [member] = cluster.members as [TestMember];
  const unknown = 'AAAAAAAAAAAAAAAAAAAAAA';
  await cp(join(indicesOf(member), uuid), join(indicesOf(member), unknown), { recursive: true });
  await member.terminate();
  await member.start();
  await cluster.waitForHealth();
  const list = (await cluster.node().get('/_dangling')).json();
  expect(list.dangling_indices).toEqual([
    { index_name: 'known', index_uuid: unknown, creation_date_millis: expect.any(Number), node_ids: [member.nodeId] },
  ]);
  expect(list._nodes).toEqual({ total: 1, successful: 1, failed: 0 });
  const refusals = [
    await cluster.node().delete(`/_dangling/${unknown}`),
    await cluster.node().delete(`/_dangling/${uuid}?accept_data_loss=true`),
    await cluster.node().post(`/_dangling/${unknown}?accept_data_loss=true`),
  ];
  expect(refusals.map((refusal) => [refusal.status, refusal.json().error.reason])).toEqual([
    [400, 'accept_data_loss must be set to true'],
    [400, `No dangling index found for UUID [${uuid}]`],
    [400, expect.stringContaining(`dangling index with UUID [${unknown}] cannot be imported`)],
  ]);
  expect((await cluster.node().delete(`/_dangling/${unknown}?accept_data_loss=true`)).json()).toEqual({
    acknowledged: true,
  });
  await cluster.until('its files are gone', async () =>
    (await readdir(indicesOf(member))).includes(unknown) ? undefined : true,
  );
  expect((await cluster.node().get('/_dangling')).json().dangling_indices).toEqual([]);
  await expectDocuments('known');
});
