/** A node that is killed at random points of snapshots, deletions and restores: what was accepted is brought to its end, and every snapshot comes back whole. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { must } from '../../src/base/assert.js';
import { seededRandom } from '../../src/base/random.js';
import { TestNode, type Answer, type Json } from '../api/node-harness.js';

const ROUNDS = 12;
const DOCUMENTS = 400;
/** Longer than what is begun takes, also beside other work. */
const KILL_MS_MAX = 300;

let node: TestNode;
let directory: string;
let repositories: string;

beforeAll(async () => {
  repositories = await mkdtemp(join(tmpdir(), 'quarry-repositories-'));
  node = await start();
  directory = node.directory;
});

afterAll(async () => {
  await node.stop();
  await rm(repositories, { recursive: true, force: true });
});

function start(): Promise<TestNode> {
  return TestNode.start({ 'path.repo': repositories }, directory);
}

async function ok(asked: Promise<Answer>): Promise<Json> {
  const answer = await asked;
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json();
}

/** Whether the answer came that it was accepted. */
async function killedWhile(begin: Promise<Answer>, afterMs: number): Promise<boolean> {
  const accepted = begin.then(
    ({ status }) => status < 300,
    () => false,
  );
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  await node.signal('SIGKILL');
  const wasAccepted = await accepted;
  node = await start();
  await ok(node.get('/_cluster/health?wait_for_status=green&timeout=60s'));
  return wasAccepted;
}

async function write(round: number): Promise<void> {
  const lines = Array.from({ length: DOCUMENTS }, (_, at) => [
    { index: { _id: String((round * 97 + at * 31) % (4 * DOCUMENTS)) } },
    { round, text: `document ${at} of round ${round}` },
  ]).flat();
  await ok(node.bulk('/kept/_bulk?refresh=true', lines));
}

/** Over what the documents hold, whatever their order. */
async function contents(index: string): Promise<string> {
  const { hits } = await ok(node.post(`/${index}/_search`, { size: 10_000 }));
  const lines = (hits.hits as Json[]).map(({ _id, _source }) => `${_id as string}:${_source.round as number}`);
  return lines.sort().join(' ');
}

/** By name those that are finished; nothing is under way any more. */
async function settledSnapshots(): Promise<ReadonlyMap<string, string>> {
  return node.until(async () => {
    const { snapshots } = await ok(node.get('/_snapshot/backups/_all'));
    const states = new Map((snapshots as Json[]).map(({ snapshot, state }) => [snapshot as string, state as string]));
    return [...states.values()].includes('IN_PROGRESS') ? undefined : states;
  });
}

async function expectComesBack(name: string, wanted: string): Promise<void> {
  const body = { rename_pattern: 'kept', rename_replacement: 'back' };
  const { snapshot } = await ok(node.post(`/_snapshot/backups/${name}/_restore?wait_for_completion=true`, body));
  expect(snapshot.shards.failed).toBe(0);
  expect(await contents('back')).toBe(wanted);
  await ok(node.delete('/back'));
}

it('ends what it had accepted, and loses no snapshot', { timeout: 240_000 }, async () => {
  const random = seededRandom(20_261_124);
  const known = new Map<string, string>();
  await ok(node.put('/_snapshot/backups', { type: 'fs', settings: { location: 'backups' } }));
  await ok(node.put('/kept', { settings: { number_of_shards: 2, number_of_replicas: 0 } }));
  for (let round = 0; round < ROUNDS; round++) {
    await write(round);
    const now = await contents('kept');
    const name = `s${round}`;
    const isAccepted = await killedWhile(
      node.put(`/_snapshot/backups/${name}`, { indices: 'kept' }),
      random.below(KILL_MS_MAX),
    );
    const states = await settledSnapshots();
    if (isAccepted) expect(states.get(name)).toBe('SUCCESS');
    if (states.get(name) === 'SUCCESS') known.set(name, now);
    expect([...states.keys()].sort()).toEqual([...known.keys()].sort());
    // A slow machine may have accepted none yet.
    if (round % 3 === 1 && known.size > 0) {
      const gone = must([...known.keys()][random.below(known.size)], 'a snapshot');
      const path = `/_snapshot/backups/${gone}?wait_for_completion=false`;
      const isDeleted = await killedWhile(node.delete(path), random.below(KILL_MS_MAX));
      // It waits for what was begun before, also where nobody heard of that.
      await ok(node.post('/_snapshot/backups/_cleanup'));
      const left = [...(await settledSnapshots()).keys()];
      if (isDeleted) expect(left).not.toContain(gone);
      if (!left.includes(gone)) known.delete(gone);
    }
    const last = [...known].at(-1);
    if (round % 3 === 2 && last !== undefined) {
      const body = { rename_pattern: 'kept', rename_replacement: 'half' };
      await killedWhile(node.post(`/_snapshot/backups/${last[0]}/_restore`, body), random.below(KILL_MS_MAX));
      if ((await node.get('/half')).status === 200) expect(await contents('half')).toBe(last[1]);
      await node.delete('/half');
    }
  }
  expect(known.size).toBeGreaterThan(1);
  for (const [name, wanted] of known) await expectComesBack(name, wanted);
  // What a kill left behind is found, and nothing else is.
  await ok(node.post('/_snapshot/backups/_cleanup'));
  for (const [name, wanted] of known) await expectComesBack(name, wanted);
});
