/** Which repositories and snapshots a list of names has. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
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

describe('a repository', () => {
  it('may be called almost anything, and is deleted by its name or a pattern', async () => {
    const named = async (name: string): Promise<unknown> => {
      const settings = { location: 'called' };
      const answer = await node.put(`/_snapshot/${encodeURIComponent(name)}`, { type: 'fs', settings });
      return answer.status === 200 ? 200 : answer.json().error.reason;
    };
    expect([await named('Backup'), await named('_x')]).toEqual([200, 200]);
    for (const name of ['_all', '_status', 'a b', 'a,b', 'a#b']) {
      expect(await named(name)).toContain(`Invalid repository name [${name}]`);
    }
    const all = await node.delete('/_snapshot/_all');
    expect([all.status, all.json().error.reason]).toEqual([404, '[_all] missing']);
    expect(Object.keys((await node.get('/_snapshot/_x,Backup')).json())).toEqual(['Backup', '_x']);
    for (const part of ['_x', 'Back*']) expect((await node.delete(`/_snapshot/${part}`)).status).toBe(200);
    expect((await node.get('/_snapshot/_x')).status).toBe(404);
  });

  it('that cannot be read is an error, unless others are asked for as well and it may be left out', async () => {
    await repository('whole', 'w1');
    await repository('torn', 't1');
    await node.delete('/_snapshot/torn');
    const roots = (await readdir(join(repositories, 'torn'))).filter((name) => name.startsWith('root-'));
    for (const root of roots) await writeFile(join(repositories, 'torn', root), '');
    await node.put('/_snapshot/torn', { type: 'fs', settings: { location: 'torn' } });
    for (const path of ['/_snapshot/torn/*', '/_cat/snapshots/torn']) {
      for (const ignores of ['false', 'true']) {
        const answer = await node.get(`${path}?ignore_unavailable=${ignores}&format=json`);
        expect([path, answer.json().error?.type]).toEqual([path, 'corrupt_index_exception']);
      }
    }
    const both = (await node.get('/_snapshot/torn,whole/*?ignore_unavailable=true')).json();
    expect(both.snapshots.map((each: Json) => each.snapshot)).toEqual(['w1']);
    const lines = (await node.get('/_cat/snapshots/torn,whole?ignore_unavailable=true&format=json')).json();
    expect(lines.map((line: Json) => line.id)).toEqual(['w1']);
  });
});
