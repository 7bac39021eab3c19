/** Nodes that have to prove that they belong together: by certificates of one authority, or by a secret. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TestNode } from '../api/node-harness.js';
import { TestCertificates } from '../transport/certificates.js';
import { TestCluster } from './cluster-harness.js';

const NAMES = ['n1', 'n2', 'n3'];
const DOCUMENTS = 50;

let cluster: TestCluster | undefined;
let certificates: TestCertificates;

beforeEach(async () => {
  certificates = await TestCertificates.make();
});

afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
  await certificates.remove();
});

async function fill(running: TestCluster): Promise<void> {
  await running.node().put('/films', { settings: { number_of_shards: 3, number_of_replicas: 2 } });
  const lines = Array.from({ length: DOCUMENTS }, (_, at) => [{ index: { _id: String(at) } }, { at }]).flat();
  expect((await running.node('n1').bulk('/films/_bulk?refresh=true', lines)).json().errors).toBe(false);
  await running.waitForHealth();
}

async function count(running: TestCluster, name: string): Promise<number> {
  return (await running.node(name).get('/films/_count')).json().count as number;
}

/** What a node has logged of another's certificate, secret or refusal. */
async function reasons(node: TestNode, message: string): Promise<string[]> {
  const lines = (await node.logged()) as readonly { readonly msg: string; readonly reason?: string }[];
  return lines.flatMap(({ msg, reason }) => (msg === message && reason !== undefined ? [reason] : []));
}

/** The node answers its clients, and is not of the cluster. */
async function staysOut(running: TestCluster, stranger: TestNode): Promise<void> {
  expect((await running.node('n1').get('/_cluster/health')).json().number_of_nodes).toBe(NAMES.length);
  expect((await stranger.get('/films/_count')).status).toBe(503);
}

async function killMaster(running: TestCluster): Promise<string> {
  const master = await running.until('a master', () => running.masterName());
  await running.member(master).kill();
  const [survivor = ''] = running.running.map(({ name }) => name);
  await running.until('another master', async () => {
    const next = await running.masterName(survivor);
    return next === undefined || next === master ? undefined : next;
  });
  return master;
}

it(
  'nodes with certificates of one authority are a cluster; one with another certificate is kept out',
  { timeout: 240_000 },
  async () => {
    const settings = await Promise.all(NAMES.map((name) => certificates.transportSettings(name)));
    const settingsOf = Object.fromEntries(NAMES.map((name, at) => [name, settings[at] ?? {}]));
    const running = await TestCluster.start({
      nodes: NAMES,
      isDirect: true,
      settings: { 'node.processors': '1' },
      settingsOf,
    });
    cluster = running;
    await running.waitForHealth('wait_for_nodes=3');
    await fill(running);

    const foreign = await certificates.transportSettings('stranger', 'other');
    const member = running.add('stranger', { 'node.processors': '1', ...foreign });
    const said = await running.until('the reason in the log', async () => {
      const stranger = running.member('stranger');
      return stranger.isRunning ? (await reasons(stranger.node, 'a seed host refuses this node'))[0] : undefined;
    });
    expect(said).toMatch(/^there is no trust between this node and \[127\.0\.0\.1:\d+\] by their certificates: /);
    await staysOut(running, (await member).node);
    await running.member('stranger').kill();

    // Certificates of all nodes are replaced while they run.
    for (const name of NAMES) await certificates.issue(name);
    await running.until('the new certificates', async () => {
      const logs = await Promise.all(NAMES.map((name) => running.node(name).logged()));
      return logs.every((lines) => lines.some(({ msg }) => msg === 'certificates were read again')) ? true : undefined;
    });
    const killed = await killMaster(running);
    const survivor = NAMES.find((name) => name !== killed) ?? '';
    expect(await count(running, survivor)).toBe(DOCUMENTS);
    await running.member(killed).start();
    await running.waitForHealth('wait_for_status=green&wait_for_nodes=3', survivor);
    expect(await count(running, killed)).toBe(DOCUMENTS);
  },
);

it(
  'nodes that know one secret are a cluster; one with another secret is kept out, and both logs say so',
  { timeout: 240_000 },
  async () => {
    const secret = 'the secret of this cluster, long enough';
    const file = await certificates.write('secret', `${secret}\n`);
    const settings = { 'node.processors': '1', 'cluster.secret_file': file };
    const running = await TestCluster.start({ nodes: NAMES, settings });
    cluster = running;
    await running.waitForHealth('wait_for_nodes=3');
    await fill(running);

    const wrong = await certificates.write('wrong', 'another secret, which is long enough too');
    await running.add('stranger');
    await running.waitForHealth(`wait_for_nodes=${NAMES.length + 1}`);
    await running.member('stranger').terminate();
    await running.member('stranger').start({
      'cluster.secret_file': wrong,
      'node.name': 'stranger2',
      'path.data': `${running.member('stranger').home}/other`,
    });
    const stranger = running.node('stranger');
    const said = await running.until(
      'the reason in the log',
      async () => (await reasons(stranger, 'a seed host refuses this node'))[0],
    );
    expect(said).toMatch(/does not know the secret of this cluster$/);
    await running.until('the reason in the log of the cluster', async () => {
      const all = await Promise.all(NAMES.map((name) => reasons(running.node(name), 'a node was kept out')));
      return all.flat().some((reason) => reason.endsWith('does not know the secret of this cluster'))
        ? true
        : undefined;
    });
    await staysOut(running, stranger);
    const printed = [...NAMES, 'stranger'].map((name) => running.node(name).printed).join('');
    const logged = JSON.stringify(await Promise.all(NAMES.map((name) => running.node(name).logged())));
    const shown = (await running.node('n1').get('/_nodes/settings?flat_settings')).text;
    for (const text of [printed, logged, shown]) expect(text).not.toContain(secret);
    const { nodes } = (await running.node('n1').get('/_nodes/stats/transport')).json();
    const refused = Object.values(nodes).map(
      (node) => (node as { transport: { inbound_calls: { refused: number } } }).transport.inbound_calls.refused,
    );
    expect(Math.max(...refused)).toBeGreaterThan(0);
    await running.member('stranger').kill();

    const killed = await killMaster(running);
    const survivor = NAMES.find((name) => name !== killed) ?? '';
    expect(await count(running, survivor)).toBe(DOCUMENTS);
    await running.member(killed).start();
    await running.waitForHealth('wait_for_status=green&wait_for_nodes=3', survivor);
  },
);
