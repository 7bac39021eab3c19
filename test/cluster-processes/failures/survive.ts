/** One run: a loaded cluster, round after round of faults, and after each a look at every copy. */
import { seededRandom } from '../../../src/base/random.js';
import { runCommand } from '../../api/node-harness.js';
import { TestCluster } from '../cluster-harness.js';
import { Load } from './clients.js';
import { compareCopies } from './copies.js';
import { Saboteur } from './saboteur.js';
import { planRound, type RoundSize } from './schedule.js';

export interface Run {
  readonly nodes: number;
  readonly seed: number;
  /** Rounds begin until the time is over, and until there were so many. */
  readonly seconds: number;
  readonly rounds: number;
  readonly round: RoundSize;
  readonly clients: number;
}

export interface Survived {
  readonly rounds: number;
  readonly acknowledged: number;
  readonly inDoubt: number;
  readonly copiesCompared: number;
  readonly faults: Readonly<Record<string, number>>;
}

const KEEP = process.env['QUARRY_KEEP_CLUSTER'] === '1';

/** Copies are made anew at once, or wait a while for their node. */
const INDICES = {
  one: { number_of_shards: 2, number_of_replicas: 1, 'index.unassigned.node_left.delayed_timeout': '0s' },
  two: { number_of_shards: 1, number_of_replicas: 2, 'index.unassigned.node_left.delayed_timeout': '3s' },
};
const MAPPINGS = { properties: { value: { type: 'long' }, text: { type: 'text' } } };
/** Disks are small here, and are filled to the last byte: watermarks have tests of their own. */
const SETTINGS = { 'cluster.routing.allocation.disk.threshold_enabled': false };
const HEALTHY =
  'wait_for_status=green&wait_for_no_initializing_shards=true&wait_for_no_relocating_shards=true&wait_for_nodes=';

/** Throws, with all that was done before, as soon as something is not as it should be. */
export async function survive(run: Run): Promise<Survived> {
  const settings = { 'node.processors': '1' };
  const cluster = await TestCluster.prepare({ nodes: run.nodes, settings, hasCrashDoor: true });
  const saboteur = new Saboteur(cluster);
  try {
    await Promise.all(cluster.members.map((member) => member.start()));
    return await endure(run, cluster, saboteur);
  } catch (error) {
    const diary = saboteur.diary.join('\n');
    throw new Error(`seed ${run.seed}, ${run.nodes} nodes: ${String(error)}\n${diary}`, { cause: error });
  } finally {
    await Promise.all(cluster.alive.map((member) => member.kill()));
    if (!KEEP) saboteur.removeDisks();
    await cluster.stop({ keep: KEEP });
  }
}

async function endure(run: Run, cluster: TestCluster, saboteur: Saboteur): Promise<Survived> {
  const random = seededRandom(run.seed);
  await makeIndices(cluster, run.nodes);
  const indices = Object.keys(INDICES);
  const load = new Load(cluster, { indices, clients: run.clients, random: seededRandom(run.seed + 1) });
  const endMs = performance.now() + run.seconds * 1_000;
  let rounds = 0;
  let copiesCompared = 0;
  while (rounds < run.rounds || performance.now() < endMs) {
    saboteur.diary.push(`round ${rounds}`);
    load.start();
    await saboteur.carryOut(planRound(rounds++, run.round, random), run.round.lengthMs);
    await saboteur.heal();
    await load.stop();
    await cluster.waitForHealth(`${HEALTHY}%3E=${run.nodes}`);
    await saboteur.dismissGuests();
    copiesCompared += await verify(cluster, load);
  }
  await verifyFiles(cluster);
  const faults = Object.fromEntries(saboteur.counts);
  return { rounds, acknowledged: load.acknowledged, inDoubt: load.inDoubt, copiesCompared, faults };
}

async function makeIndices(cluster: TestCluster, nodes: number): Promise<void> {
  await cluster.waitForHealth(`wait_for_nodes=${nodes}`);
  await expectOk(cluster.node().put('/_cluster/settings', { persistent: SETTINGS }));
  for (const [name, settings] of Object.entries(INDICES)) {
    await expectOk(cluster.node().put(`/${name}`, { settings, mappings: MAPPINGS }));
  }
  await cluster.waitForHealth(`${HEALTHY}${nodes}`);
}

async function expectOk(asked: Promise<{ status: number; text: string }>): Promise<void> {
  const { status, text } = await asked;
  if (status !== 200) throw new Error(`${status} ${text}`);
}

/** How many copies were compared. */
async function verify(cluster: TestCluster, load: Load): Promise<number> {
  const wrong = [...load.wrong];
  let copies = 0;
  for (const [index, ledger] of load.ledgers) {
    const compared = await compareCopies(cluster, index);
    copies += compared.copies;
    wrong.push(...compared.wrong, ...ledger.settle(compared.found).map((sentence) => `${index}: ${sentence}`));
  }
  if (wrong.length > 0) throw new Error(wrong.slice(0, 20).join('\n'));
  return copies;
}

/** What the nodes leave behind is whole. */
async function verifyFiles(cluster: TestCluster): Promise<void> {
  await Promise.all(cluster.alive.map((member) => member.terminate()));
  for (const member of cluster.members) {
    const { code, output } = await runCommand(['check', `${member.home}/data`]);
    if (code !== 0) throw new Error(`files of ${member.name} are damaged: ${output}`);
  }
}
