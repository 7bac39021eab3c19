/** Random histories of one repository against a model: whatever was done in whatever order, every snapshot that is left comes back as it was. */
import { mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must } from '../../src/base/assert.js';
import { seededRandom, type Random } from '../../src/base/random.js';
import { TestNode, type Answer, type Json } from './node-harness.js';

const INDICES = ['apples', 'pears', 'plums'];
const STEPS = 40;
const SEEDS = [1, 2, 3];
const NOT_THERE = 404;

let node: TestNode;
let repositories: string;

beforeAll(async () => {
  repositories = await mkdtemp(join(tmpdir(), 'quarry-repositories-'));
  node = await TestNode.start({ 'path.repo': repositories });
});

afterAll(async () => {
  await node.stop();
  await rm(repositories, { recursive: true, force: true });
});

async function ok(asked: Promise<Answer>): Promise<Json> {
  const answer = await asked;
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json();
}

/** By id the number that a document holds. */
type Documents = ReadonlyMap<string, number>;

class History {
  private readonly random: Random;
  private readonly repository: string;
  private readonly documents = new Map<string, Documents>();
  /** By name, what is in a snapshot. */
  private readonly snapshots = new Map<string, ReadonlyMap<string, Documents>>();
  private made = 0;

  constructor(seed: number) {
    this.random = seededRandom(seed);
    this.repository = `history-${seed}`;
  }

  async begin(): Promise<void> {
    await ok(node.put(`/_snapshot/${this.repository}`, { type: 'fs', settings: { location: this.repository } }));
    for (const index of INDICES) {
      await ok(node.put(`/${index}`, { settings: { number_of_shards: 2, number_of_replicas: 0 } }));
      this.documents.set(index, new Map());
    }
  }

  async end(): Promise<void> {
    for (const name of [...this.snapshots.keys()]) await this.check(name);
    // Nothing lies there that no snapshot needs.
    const { results } = await ok(node.post(`/_snapshot/${this.repository}/_cleanup`));
    expect(results).toEqual({ deleted_bytes: 0, deleted_blobs: 0 });
    for (const name of [...this.snapshots.keys()]) await this.check(name);
  }

  async step(): Promise<void> {
    const choice = this.random.below(10);
    if (choice < 3) await this.write();
    else if (choice < 5) await this.create();
    else if (choice < 6) await Promise.all([this.create(), this.create(), this.write()]);
    else if (choice < 7) await this.clone();
    else if (choice < 9) await this.remove();
    else await this.check(this.any());
  }

  private async write(): Promise<void> {
    const index = must(INDICES[this.random.below(INDICES.length)], 'an index');
    const next = new Map(this.documents.get(index));
    const lines: Json[] = [];
    for (let at = 0; at < 1 + this.random.below(80); at++) {
      const id = String(this.random.below(200));
      if (this.random.below(4) === 0) {
        lines.push({ delete: { _id: id } });
        next.delete(id);
      } else {
        const n = this.random.below(1_000_000);
        lines.push({ index: { _id: id } }, { n });
        next.set(id, n);
      }
    }
    await ok(node.bulk(`/${index}/_bulk`, lines));
    if (this.random.below(3) === 0) await ok(node.post(`/${index}/_forcemerge?max_num_segments=1`));
    this.documents.set(index, next);
  }

  /** Of indices that are not written meanwhile, or what it holds would not be known. */
  private async create(): Promise<void> {
    const name = `s${this.made++}`;
    const chosen = INDICES.filter(() => this.random.below(2) === 0);
    const indices = chosen.length === 0 ? ['apples'] : chosen;
    const before = indices.map((index) => [index, this.documents.get(index)] as const);
    const path = `/_snapshot/${this.repository}/${name}?wait_for_completion=true`;
    const { snapshot } = await ok(node.put(path, { indices: indices.join(','), include_global_state: false }));
    expect(snapshot.state).toBe('SUCCESS');
    const known = before.filter(([index, documents]) => this.documents.get(index) === documents);
    this.snapshots.set(name, new Map(known.map(([index, documents]) => [index, must(documents, index)])));
  }

  private any(): string | undefined {
    return [...this.snapshots.keys()][this.random.below(Math.max(1, this.snapshots.size))];
  }

  private async clone(): Promise<void> {
    const source = this.any();
    const [index] = [...(this.snapshots.get(source ?? '') ?? new Map<string, Documents>()).entries()];
    if (source === undefined || index === undefined) return;
    const name = `c${this.made++}`;
    await ok(node.put(`/_snapshot/${this.repository}/${source}/_clone/${name}`, { indices: index[0] }));
    this.snapshots.set(name, new Map([index]));
  }

  private async remove(): Promise<void> {
    const names = [...new Set([this.any(), this.any()])].filter((name) => name !== undefined);
    if (names.length === 0) return;
    for (const name of names) this.snapshots.delete(name);
    await Promise.all([ok(node.delete(`/_snapshot/${this.repository}/${names.join(',')}`)), this.create()]);
    for (const name of names) {
      expect((await node.get(`/_snapshot/${this.repository}/${name}`)).status).toBe(NOT_THERE);
    }
  }

  private async check(name: string | undefined): Promise<void> {
    const wanted = this.snapshots.get(name ?? '');
    if (name === undefined || wanted === undefined || wanted.size === 0) return;
    const body = { indices: [...wanted.keys()].join(','), rename_pattern: '(.+)', rename_replacement: 'back-$1' };
    const path = `/_snapshot/${this.repository}/${name}/_restore?wait_for_completion=true`;
    const { snapshot } = await ok(node.post(path, body));
    expect(snapshot.shards.failed).toBe(0);
    for (const [index, documents] of wanted) expect(await contents(`back-${index}`)).toEqual(sorted(documents));
    await ok(node.delete('/back-*'));
  }
}

async function contents(index: string): Promise<readonly (readonly [string, number])[]> {
  const { hits } = await ok(node.post(`/${index}/_search`, { size: 1_000 }));
  return sorted(new Map((hits.hits as Json[]).map(({ _id, _source }) => [_id as string, _source.n as number])));
}

function sorted(documents: Documents): readonly (readonly [string, number])[] {
  return [...documents].sort(([left], [right]) => (left < right ? -1 : 1));
}

describe('a repository', () => {
  it.each(SEEDS)('keeps what was put there, through a random history (seed %i)', { timeout: 120_000 }, async (seed) => {
    const history = new History(seed);
    try {
      await history.begin();
      for (let step = 0; step < STEPS; step++) await history.step();
      await history.end();
    } finally {
      await node.delete(`/${INDICES.join(',')},back-*?ignore_unavailable=true`);
    }
  });
});

describe('damage', () => {
  it('of any blob is told by its name, and never restored', { timeout: 120_000 }, async () => {
    // What is packed has bytes that mean nothing.
    await ok(node.put('/_snapshot/damaged', { type: 'fs', settings: { location: 'damaged', compress: false } }));
    await ok(node.put('/grain', { settings: { number_of_shards: 2, number_of_replicas: 0 } }));
    const lines = Array.from({ length: 300 }, (_, n) => [{ index: { _id: String(n) } }, { n }]).flat();
    await ok(node.bulk('/grain/_bulk?refresh=true', lines));
    await ok(node.put('/_snapshot/damaged/one?wait_for_completion=true', { indices: 'grain' }));
    const all = await readdir(join(repositories, 'damaged'), { recursive: true, withFileTypes: true });
    const random = seededRandom(7);
    // Those who list directories do not read `latest`; `url-repositories.test.ts` has those who do.
    for (const { name, parentPath } of all.filter((entry) => entry.isFile() && entry.name !== 'latest')) {
      const path = join(parentPath, name);
      const mend = await flip(path, random);
      // A restore reads files as a whole, and needs no checksums of their parts.
      if (name.startsWith('parts-')) {
        const { log } = await ok(node.post('/_snapshot/damaged/_verify_integrity'));
        expect(JSON.stringify(log)).toContain(name);
        await mend();
        continue;
      }
      const asked = {
        indices: 'grain',
        rename_pattern: 'grain',
        rename_replacement: 'sown',
        include_global_state: true,
      };
      const answer = await node.post('/_snapshot/damaged/one/_restore?wait_for_completion=true', asked);
      await expectTold(name, answer);
      await node.delete('/sown');
      await mend();
    }
    await ok(
      node.post('/_snapshot/damaged/one/_restore?wait_for_completion=true', {
        rename_pattern: 'grain',
        rename_replacement: 'sown',
      }),
    );
    expect(await contents('sown')).toHaveLength(300);
  });
});

describe('damage on the disk of a primary', () => {
  it('does not get into the repository: its shard fails and names the file, others are kept', async () => {
    await ok(node.put('/_snapshot/clean', { type: 'fs', settings: { location: 'clean' } }));
    await ok(node.put('/rotten', { settings: { number_of_shards: 1, number_of_replicas: 0 } }));
    await ok(node.put('/sound', { settings: { number_of_shards: 1, number_of_replicas: 0 } }));
    const lines = Array.from({ length: 300 }, (_, n) => [{ index: { _id: String(n) } }, { n }]).flat();
    for (const index of ['rotten', 'sound']) {
      await ok(node.bulk(`/${index}/_bulk?refresh=true`, lines));
      await ok(node.post(`/${index}/_flush`));
    }
    const { rotten } = await ok(node.get('/rotten'));
    const uuid = rotten.settings.index.uuid as string;
    const all = await readdir(node.directory, { recursive: true });
    const [segment = ''] = all.filter((name) => name.includes(uuid) && name.endsWith('.seg'));
    const mend = await flip(join(node.directory, segment), seededRandom(5));
    const wanted = { indices: 'rotten,sound', partial: true };
    const taken = await ok(node.put('/_snapshot/clean/one?wait_for_completion=true', wanted));
    expect(taken.snapshot).toMatchObject({ state: 'PARTIAL', shards: { total: 2, failed: 1, successful: 1 } });
    expect(taken.snapshot.failures[0]).toMatchObject({ index: 'rotten', shard_id: 0 });
    expect(taken.snapshot.failures[0].reason).toContain('corrupt_index_exception');
    expect(taken.snapshot.failures[0].reason).toContain(segment.slice(segment.lastIndexOf('/') + 1));
    await mend();
    const again = await ok(node.put('/_snapshot/clean/two?wait_for_completion=true', { indices: 'rotten,sound' }));
    expect(again.snapshot.state).toBe('SUCCESS');
    const { results } = await ok(node.post('/_snapshot/clean/_verify_integrity?verify_blob_contents'));
    expect(results.result).toBe('pass');
    await ok(node.delete('/rotten,sound'));
  });
});

/** Either the request is refused with the name of the blob, or the shard that needs it fails with it and all others come back. */
async function expectTold(name: string, answer: Answer): Promise<void> {
  const body = answer.json();
  if (body.error !== undefined) {
    const { type, reason } = body.error;
    expect(['corrupt_index_exception', 'snapshot_exception'], reason).toContain(type);
    expect(reason).toContain(name);
    return;
  }
  expect(body.snapshot.shards, name).toEqual({ total: 2, failed: 1, successful: 1 });
  const explained = await node.until(async () => {
    const { unassigned_info: info } = (await node.post('/_cluster/allocation/explain', {})).json();
    return info?.details as string | undefined;
  });
  expect(explained).toContain('corrupt_index_exception');
}

async function flip(path: string, random: Random): Promise<() => Promise<void>> {
  const file = await open(path, 'r+');
  const { size } = await file.stat();
  const at = random.below(size);
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, at);
  const former = byte[0] ?? 0;
  const write = async (value: number): Promise<void> => {
    await file.write(Buffer.from([value]), 0, 1, at);
  };
  await write(former ^ (1 << random.below(8)));
  return async () => {
    await write(former);
    await file.close();
  };
}
