/** Nobody's credentials are wrong while a node does not know yet who has which: as it starts, and as long as it finds no cluster. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hash } from '@node-rs/bcrypt';
import { expect, test } from 'vitest';
import { freePorts } from '../cluster-processes/free-ports.js';
import { TestNode } from './node-harness.js';
import { ADMIN, basic, PASSWORD, SECURED } from './security-helpers.js';

const AUDITED = { ...SECURED, 'xpack.security.audit.enabled': 'true' };
const PAUSE_MS = 5;

/** A node on a port that is known before it starts. The directory is to be removed. */
async function starting(
  settings: Readonly<Record<string, string>>,
): Promise<{ readonly url: string; readonly home: string; readonly start: () => Promise<TestNode> }> {
  const [port = 0] = await freePorts(1);
  const home = await mkdtemp(join(tmpdir(), 'quarry-test-'));
  const environment = { QUARRY_BOOTSTRAP_PASSWORD: PASSWORD };
  const start = (): Promise<TestNode> =>
    TestNode.start({ ...AUDITED, ...settings, 'http.port': String(port) }, home, [], environment);
  return { url: `http://127.0.0.1:${port}`, home, start };
}

/** Who was refused, as the audit log has it. */
async function failures(home: string): Promise<readonly string[]> {
  const logs = join(home, 'logs');
  const files = (await readdir(logs)).filter((name) => name.startsWith('quarry_audit.'));
  const texts = await Promise.all(files.map((file) => readFile(join(logs, file), 'utf8')));
  return texts.flatMap((text) => text.split('\n')).filter((line) => line.includes('"authentication_failed"'));
}

/** Statuses of requests, one begun every few milliseconds from before the port is open until the node is there. */
async function statusesWhile(url: string, start: () => Promise<TestNode>): Promise<{ node: TestNode; seen: number[] }> {
  const asked: Promise<number>[] = [];
  const ask = async (): Promise<number> => {
    try {
      return (await fetch(`${url}/_security/_authenticate`, { headers: { authorization: ADMIN } })).status;
    } catch {
      return 0;
    }
  };
  const timer = setInterval(() => asked.push(ask()), PAUSE_MS);
  try {
    const node = await start();
    return { node, seen: (await Promise.all(asked)).filter((status) => status !== 0) };
  } finally {
    clearInterval(timer);
  }
}

test.each(['1', '2'])('the right password is never wrong while a node of %s fronts starts', async (fronts) => {
  // A slow hash is what the first start waits for.
  const slow = { 'security.authc.password_hashing.algorithm': 'bcrypt12', 'http.front_threads': fronts };
  const { url, home, start } = await starting(slow);
  try {
    for (const times of ['first', 'second']) {
      const { node, seen } = await statusesWhile(url, start);
      await node.signal('SIGTERM');
      expect(seen.length, times).toBeGreaterThan(0);
      expect([times, new Set(seen)]).toEqual([times, new Set([200])]);
    }
    expect(await failures(home)).toEqual([]);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

test('a node without a cluster says that it knows nobody, and lets in users of files', async () => {
  const alone = {
    'node.name': 'n1',
    'cluster.initial_master_nodes': 'n1,n2',
    'discovery.seed_hosts': '127.0.0.1:1',
  };
  const { url, home, start } = await starting(alone);
  await mkdir(join(home, 'config'));
  await writeFile(join(home, 'config', 'users_roles'), 'superuser:filed\n');
  await writeFile(join(home, 'config', 'users'), `filed:${await hash('kept-in-a-file', 4)}\n`);
  const node = await start();
  try {
    const key = `ApiKey ${Buffer.from('an-id:a-secret').toString('base64')}`;
    for (const authorization of [ADMIN, basic('filed', 'wrong-password'), key, 'Bearer some-token']) {
      const answer = await node.get('/', { authorization });
      expect([answer.status, answer.json().error]).toMatchObject([
        503,
        {
          type: 'cluster_block_exception',
          reason: 'blocked by: [SERVICE_UNAVAILABLE/1/state not recovered / initialized];',
        },
      ]);
      expect(answer.headers.get('www-authenticate')).toBeNull();
    }
    const filed = { authorization: basic('filed', 'kept-in-a-file') };
    expect((await node.get('/', filed)).status).toBe(200);
    // The wrong password of a token's user is not known to be wrong either.
    const grant = { grant_type: 'password', username: 'admin', password: 'not-the-one' };
    expect((await node.post('/_security/oauth2/token', grant, filed)).status).toBe(503);
    // What is no credential at all is refused as ever: a health check needs no more.
    expect((await fetch(url)).status).toBe(401);
    expect((await node.get('/', { authorization: 'Basic !!!' })).status).toBe(401);
    expect(await failures(home)).toEqual([]);
  } finally {
    await node.stop();
  }
});
