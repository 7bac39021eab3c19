/** Real processes find each other, elect a master, and agree on the state while members die, hang and are cut off. */
import { afterEach, describe, expect, it } from 'vitest';
import { TestNode } from '../api/node-harness.js';
import { TestCluster } from './cluster-harness.js';

let cluster: TestCluster | undefined;

afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
});

async function start(options: Parameters<typeof TestCluster.start>[0]): Promise<TestCluster> {
  cluster = await TestCluster.start({ ...options, settings: { 'node.processors': '1', ...options.settings } });
  return cluster;
}

/** The master, once all of these nodes name the same one and know so many nodes. */
function agreedMaster(running: TestCluster, names: readonly string[], nodes: number): Promise<string> {
  return running.until(`agreement of ${names.join(', ')}`, async () => {
    const seen = await Promise.all(names.map((name) => membership(running, name)));
    const [first] = seen;
    return seen.every(({ master, count }) => master === first?.master && count === nodes) ? first?.master : undefined;
  });
}

/** Master and nodes of one state: asked for one after the other, they may be of before and after an election. */
async function membership(running: TestCluster, name: string): Promise<{ master: string | undefined; count: number }> {
  const answer = await running.node(name).get('/_cluster/state/master_node,nodes?local=true');
  const { master_node: id, nodes } = answer.json() as {
    master_node: string | null;
    nodes: Record<string, { name: string }>;
  };
  return { master: nodes[id ?? '']?.name, count: Object.keys(nodes).length };
}

async function nodeCount(running: TestCluster, name: string): Promise<number> {
  return (await running.node(name).get('/_cluster/health?local=true')).json().number_of_nodes as number;
}

async function setting(running: TestCluster, name: string): Promise<unknown> {
  const answer = await running.node(name).get('/_cluster/settings?flat_settings=true&local=true');
  return answer.json().persistent['cluster.max_shards_per_node'];
}

function putSetting(running: TestCluster, name: string, value: number): Promise<{ status: number }> {
  const body = { persistent: { 'cluster.max_shards_per_node': value } };
  return running.node(name).put('/_cluster/settings?master_timeout=2s', body);
}

const NAMES = ['n1', 'n2', 'n3'];

describe('a node that waits for its cluster', () => {
  it('answers for itself, and is in no cluster', { timeout: 120_000 }, async () => {
    const settings = { 'node.name': 'alone', 'discovery.seed_hosts': '127.0.0.1:1', 'node.roles': 'data' };
    // It answers when it has waited for a while.
    const node = await TestNode.start({ ...settings, 'node.processors': '1', 'transport.port': '0' });
    try {
      const own = (await node.get('/_nodes/stats/os')).json();
      expect(own._nodes).toEqual({ total: 1, successful: 1, failed: 0 });
      expect(Object.values(own.nodes)).toMatchObject([{ name: 'alone', roles: ['data'] }]);
      expect((await node.get('/_cluster/health?local=true')).json()).toMatchObject({
        number_of_nodes: 1,
        number_of_data_nodes: 1,
      });
      const state = (await node.get('/_cluster/state/nodes,master_node?local=true')).json();
      expect([state.master_node, Object.values(state.nodes)]).toEqual([
        null,
        [expect.objectContaining({ name: 'alone' })],
      ]);
      expect((await node.get('/_cat/nodes?h=name,master&local=true')).text).toBe('alone x\n');
      for (const path of ['/_search', '/x/_search', '/x/_doc/1', '/_mapping?local=true']) {
        const refused = await node.get(path);
        expect([path, refused.status, refused.json().error.type]).toEqual([path, 503, 'cluster_block_exception']);
        expect(refused.json().error.reason).toContain('[SERVICE_UNAVAILABLE/1/state not recovered / initialized];');
      }
      const { blocks } = (await node.get('/_cluster/state/blocks?local=true')).json();
      expect(Object.keys(blocks.global)).toEqual(['1', '2']);
      const changed = await node.put('/films?master_timeout=1s');
      expect(changed.status).toBe(503);
    } finally {
      await node.stop();
    }
  });
});

describe('a node that does not vote', () => {
  it('comes back after it hung while it was dropped and another master was elected', { timeout: 240_000 }, async () => {
    const running = await start({ nodes: 3 });
    const data = await running.add('d1', { 'node.roles': 'data', 'node.processors': '1' });
    const master = await agreedMaster(running, [...NAMES, 'd1'], 4);
    data.pause();
    await running.until('the node to be dropped', async () =>
      (await nodeCount(running, master)) === 3 ? true : undefined,
    );
    await running.member(master).kill();
    const left = NAMES.filter((name) => name !== master);
    await agreedMaster(running, left, 2);
    data.resume();
    // A busy machine may see another election: which of the two is the master is not what this is about.
    expect(left).toContain(await agreedMaster(running, [...left, 'd1'], 3));
  });
});

describe('three nodes', () => {
  it('agree on one master and one state, whichever node is told', async () => {
    const running = await start({ nodes: 3 });
    await agreedMaster(running, NAMES, 3);
    for (const [at, name] of NAMES.entries()) {
      expect((await putSetting(running, name, 100 + at)).status).toBe(200);
      // Acknowledged means applied everywhere.
      for (const other of NAMES) expect(await setting(running, other)).toBe(String(100 + at));
    }
  });

  it('elect another master when theirs is killed, and take it back', async () => {
    const running = await start({ nodes: 3 });
    const master = await agreedMaster(running, NAMES, 3);
    await putSetting(running, 'n1', 111);
    await running.member(master).kill();
    const left = NAMES.filter((name) => name !== master);
    const next = await agreedMaster(running, left, 2);
    expect(next).not.toBe(master);
    expect((await putSetting(running, left[0] ?? '', 222)).status).toBe(200);
    await running.member(master).start();
    await agreedMaster(running, NAMES, 3);
    expect(await setting(running, master)).toBe('222');
  });

  it('keep what they agreed on when all of them are killed at once', async () => {
    const running = await start({ nodes: 3 });
    await agreedMaster(running, NAMES, 3);
    await putSetting(running, 'n2', 321);
    await Promise.all(running.members.map((member) => member.kill()));
    await Promise.all(running.members.map((member) => member.start()));
    await agreedMaster(running, NAMES, 3);
    for (const name of NAMES) expect(await setting(running, name)).toBe('321');
  });

  it('do not split: the side without a majority changes nothing, and learns what it missed', async () => {
    const running = await start({ nodes: 3 });
    const master = await agreedMaster(running, NAMES, 3);
    await putSetting(running, 'n1', 500);
    running.isolate(master);
    const others = NAMES.filter((name) => name !== master);
    await agreedMaster(running, others, 2);
    expect((await putSetting(running, others[0] ?? '', 600)).status).toBe(200);
    expect((await putSetting(running, master, 700)).status).toBe(503);
    expect(await setting(running, master)).toBe('500');
    running.isolate(master, 'open');
    await agreedMaster(running, NAMES, 3);
    for (const name of NAMES) expect(await setting(running, name)).toBe('600');
  });
});

describe('a cluster', () => {
  it('lets in nodes that were not there at first, which may vote or not', async () => {
    const running = await start({ nodes: 1, settings: { 'cluster.name': 'grows' } });
    await running.add('d1', { 'node.roles': 'data', 'node.processors': '1' });
    await running.add('m2', { 'node.roles': 'master', 'node.processors': '1' });
    expect(await agreedMaster(running, ['n1', 'd1', 'm2'], 3)).toBe('n1');
    expect((await putSetting(running, 'd1', 42)).status).toBe(200);
    // One vote of two: the cluster lives on without the other.
    await running.member('m2').kill();
    expect(await agreedMaster(running, ['n1', 'd1'], 2)).toBe('n1');
  });

  it('takes the vote of a node that is excluded, of the master too, and gives it back', async () => {
    const running = await start({ nodes: 3 });
    const master = await agreedMaster(running, NAMES, 3);
    const path = `/_cluster/voting_config_exclusions?node_names=${master}&timeout=20s`;
    expect((await running.node('n2').post(path)).status).toBe(200);
    expect(await agreedMaster(running, NAMES, 3)).not.toBe(master);
    // What is left elects masters and commits without it.
    await running.member(master).kill();
    const left = NAMES.filter((name) => name !== master);
    await agreedMaster(running, left, 2);
    expect((await putSetting(running, left[0] ?? '', 77)).status).toBe(200);
    await running.member(master).start();
    await agreedMaster(running, NAMES, 3);
    const clear = await running.node('n1').delete('/_cluster/voting_config_exclusions?wait_for_removal=false');
    expect(clear.status).toBe(200);
    await running.until('three voters', async () => {
      const state = (await running.node('n1').get('/_cluster/state/metadata')).json();
      return state.metadata.cluster_coordination.last_committed_config.length === 3 ? true : undefined;
    });
  });

  it('knows at once that a node was stopped, and in time that one hangs', async () => {
    const running = await start({ nodes: 3 });
    const master = await agreedMaster(running, NAMES, 3);
    const [stopped = '', hanging = ''] = NAMES.filter((name) => name !== master);
    expect(await running.member(stopped).terminate()).toBe(0);
    await agreedMaster(running, [master, hanging], 2);
    await running.member(stopped).start();
    await agreedMaster(running, NAMES, 3);
    running.member(hanging).pause();
    await agreedMaster(running, [master, stopped], 2);
    running.member(hanging).resume();
    await agreedMaster(running, NAMES, 3);
  });
});
