/** A repository whose directory is gone or empty, as after a lost mount: nobody may take it for one without snapshots. */
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestNode, type Answer, type Json } from './node-harness.js';

let node: TestNode;
let repositories: string;
let number = 0;
/** Of the test. */
let name = '';
let place = '';
let elsewhere = '';

async function ok(asked: Promise<Answer>): Promise<Json> {
  const answer = await asked;
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json();
}

function register(settings: Json = {}): Promise<Answer> {
  return node.put(`/_snapshot/${name}`, { type: 'fs', settings: { location: name, ...settings } });
}

beforeAll(async () => {
  repositories = await mkdtemp(join(tmpdir(), 'quarry-lost-'));
  node = await TestNode.start({ 'path.repo': repositories });
  await ok(node.put('/goods/_doc/1?refresh=true', { n: 1 }));
});

beforeEach(async () => {
  name = `kept-${++number}`;
  place = join(repositories, name);
  elsewhere = join(repositories, `elsewhere-${number}`);
  await ok(register());
  for (const snapshot of ['one', 'two']) {
    await ok(node.put(`/_snapshot/${name}/${snapshot}?wait_for_completion=true`, { indices: 'goods' }));
  }
});

afterAll(async () => {
  await node.stop();
  await rm(repositories, { recursive: true, force: true });
});

async function expectLost(asked: Promise<Answer>, type: string): Promise<void> {
  const answer = await asked;
  expect([answer.status, answer.json().error?.type], answer.text).toEqual([500, type]);
  expect(answer.json().error.reason).toMatch(
    /this cluster knows of root \[1\], and (there is none|the newest one there is)/,
  );
}

async function expectAllLost(): Promise<void> {
  await expectLost(node.post(`/_snapshot/${name}/_verify`), 'repository_verification_exception');
  const asked: readonly (() => Promise<Answer>)[] = [
    () => node.get(`/_snapshot/${name}/_all`),
    () => node.get(`/_snapshot/${name}/one`),
    () => node.get(`/_snapshot/${name}/one/_status`),
    () => node.get(`/_cat/snapshots/${name}`),
    () => node.post(`/_snapshot/${name}/_verify_integrity`),
    () => node.post(`/_snapshot/${name}/one/_restore`, { rename_pattern: '$', rename_replacement: '-again' }),
    () => node.put(`/_snapshot/${name}/three?wait_for_completion=true`),
    () => node.delete(`/_snapshot/${name}/one`),
    () => node.post(`/_snapshot/${name}/_cleanup`),
    () => node.post(`/_snapshot/${name}/_analyze?blob_count=2&max_blob_size=1kb&register_operation_count=1`),
  ];
  for (const ask of asked) await expectLost(ask(), 'repository_exception');
}

describe('a repository', () => {
  it('that is gone says so to all who ask, makes no directory, and is itself again when it is back', async () => {
    await rename(place, elsewhere);
    await expectAllLost();
    expect(await readdir(repositories)).not.toContain(name);
    // Of one alone this is no empty list.
    expect((await node.get(`/_snapshot/${name}/_all?ignore_unavailable=true`)).status).toBe(500);
    await rename(elsewhere, place);
    await ok(node.post(`/_snapshot/${name}/_verify`));
    expect((await ok(node.get(`/_snapshot/${name}/_all`))).snapshots).toHaveLength(2);
    await ok(node.delete(`/_snapshot/${name}/one`));
  });

  it('of which an empty directory is left says the same, and nothing is written there', async () => {
    await rename(place, elsewhere);
    await mkdir(place);
    await expectAllLost();
    expect(await readdir(place)).toEqual([]);
    await ok(node.get('/goods/_count'));
  });

  it('that has an older root only says the same', async () => {
    await rm(join(place, 'root-1'));
    await expectAllLost();
  });

  it('that was emptied on purpose is a new one when it is registered again', async () => {
    await rm(place, { recursive: true });
    await expectLost(node.get(`/_snapshot/${name}/_all`), 'repository_exception');
    await ok(register());
    expect((await ok(node.get(`/_snapshot/${name}/_all`))).snapshots).toEqual([]);
    await ok(node.put(`/_snapshot/${name}/new?wait_for_completion=true`, { indices: 'goods' }));
  });

  it('that is only read is known from its verification on', async () => {
    await ok(register({ readonly: true }));
    await rename(place, elsewhere);
    await expectLost(node.post(`/_snapshot/${name}/_verify`), 'repository_verification_exception');
    await expectLost(node.get(`/_snapshot/${name}/_all`), 'repository_exception');
    await rename(elsewhere, place);
    expect((await ok(node.get(`/_snapshot/${name}/_all`))).snapshots).toHaveLength(2);
  });
});
