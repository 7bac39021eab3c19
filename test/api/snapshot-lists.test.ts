/** Which repositories and snapshots a list of names has. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;
let repositories: string;

beforeAll(async () => {
  repositories = await mkdtemp(join(tmpdir(), 'quarry-lists-'));
  node = await TestNode.start({ 'path.repo': repositories });
});

afterAll(async () => {
  await node.stop();
  await rm(repositories, { recursive: true, force: true });
});

async function repository(name: string, ...snapshots: readonly string[]): Promise<void> {
  const made = await node.put(`/_snapshot/${name}`, { type: 'fs', settings: { location: name } });
  expect(made.status, made.text).toBe(200);
  for (const each of snapshots) {
    const body = { indices: '-*', include_global_state: false };
    const taken = await node.put(`/_snapshot/${name}/${each}?wait_for_completion=true`, body);
    expect(taken.status, taken.text).toBe(200);
  }
}

describe('repositories of a list', () => {
  const shown = async (part: string): Promise<unknown> => {
    const [found, listed] = [await node.get(`/_snapshot/${part}`), await node.get(`/_snapshot/${part}/*`)];
    if (found.status !== 200) return [found, listed].map((answer) => [answer.status, answer.json().error.reason]);
    const { snapshots } = listed.json();
    return [Object.keys(found.json()), snapshots.map((each: Json) => each.repository).sort()];
  };

  beforeAll(async () => {
    for (const name of ['lst-1', 'lst-2', 'lst-3']) await repository(name, 'empty');
  });

  it.each([
    ['lst-*,-lst-1', ['lst-2', 'lst-3']],
    ['lst-*,-lst-1,-*3', ['lst-2']],
    ['lst-1,lst-*,-lst-1', ['lst-2', 'lst-3']],
    ['lst-*,-*', []],
  ])('are left out after a pattern: %s', async (part, names) => {
    expect(await shown(part)).toEqual([names, names]);
    const lines = (await node.get(`/_cat/snapshots/${part}?format=json&h=repository`)).json();
    expect(lines.map((line: Json) => line.repository).sort()).toEqual(names);
  });

  it('are named otherwise, and all that are missing are told', async () => {
    const missing = (names: string): unknown => [
      [404, `[${names}] missing`],
      [404, `[${names}] missing`],
    ];
    expect(await shown('-lst-1,lst-*')).toEqual(missing('-lst-1'));
    expect(await shown('lst-1,-lst-1')).toEqual(missing('-lst-1'));
    expect(await shown('absent,lst-*,nobody')).toEqual(missing('absent, nobody'));
  });
});

describe('snapshots of a list', () => {
  const shown = async (part: string): Promise<unknown> => {
    const answer = await node.get(`/_snapshot/named/${part}`);
    const { snapshots, error } = answer.json();
    return error?.reason ?? snapshots.map((each: Json) => each.snapshot);
  };

  beforeAll(async () => {
    await repository('named', 'n1', 'n2', 'n20');
  });

  it.each([
    ['n*,-n2', ['n1', 'n20']],
    ['n*,-n2*', ['n1']],
    ['n*,-n2,n2', ['n1', 'n20']],
    ['n2,n*,-n2', ['n1', 'n20']],
    ['_all,-n2*', ['n1']],
    ['_current,n1,-n1', []],
    ['n20,-n2', '[named:-n2] is missing'],
    ['-n2,n*', '[named:-n2] is missing'],
    ['n*,-', '[named:-] is missing'],
  ])('are left out after a pattern: %s', async (part, names) => {
    expect(await shown(part)).toEqual(names);
  });
});
