/** A node whose connections are carried by several threads answers as one with a single front does. */
import { readdir, readFile } from 'node:fs/promises';
import { Agent, request as ask, type ClientRequest } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';
import { askAs, basic, done, PASSWORD, SECURED } from './security-helpers.js';

const FRONTS = 3;
const SETTINGS = { 'http.front_threads': String(FRONTS) };
/** New connections are handed to the fronts in turn: among so many, each has two at least. */
const CONNECTIONS = 2 * FRONTS;
const EACH = Array.from({ length: CONNECTIONS }, (_, at) => at);

interface Reply {
  readonly status: number;
  readonly json: Json;
}

let node: TestNode;

beforeEach(async () => {
  node = await TestNode.start(SETTINGS);
});

afterEach(async () => {
  await node.stop();
});

/** Over a connection of its own, or one of the agent's. */
function send(
  method: string,
  path: string,
  body?: unknown,
  agent: Agent | false = false,
  more: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', ...more };
    const sent = ask(`${node.url}${path}`, { method, headers, agent }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: answer.statusCode ?? 0, json: text === '' ? undefined : (JSON.parse(text) as Json) });
      });
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

async function statistics(path: string): Promise<Json> {
  const { nodes } = (await send('GET', `/_nodes/stats/${path}`)).json;
  return Object.values<Json>(nodes)[0];
}

async function tasksOf(action: string): Promise<readonly Json[]> {
  return (await send('GET', `/_tasks?group_by=none&detailed&actions=${action}`)).json.tasks as readonly Json[];
}

/** All requests of the action, once they run. */
function running(action: string, count: number): Promise<readonly Json[]> {
  return node.until(async () => {
    const found = await tasksOf(action);
    return found.length === count ? found : undefined;
  });
}

describe('requests', () => {
  it('are answered alike on every connection, and counted together', async () => {
    const before = await statistics('http,thread_pool');
    const written = await Promise.all(EACH.map((at) => send('PUT', `/films/_doc/${at}?refresh=true`, { at })));
    expect(written.map(({ status }) => status)).toEqual(EACH.map(() => 201));
    // The first read of a front is answered by a worker, while the front learns to read.
    for (let round = 0; round < 3; round++) {
      const read = await Promise.all(EACH.map((at) => send('GET', `/films/_doc/${at}`)));
      expect(read.map(({ json }) => json._source.at)).toEqual(EACH);
      const query = { query: { range: { at: { gte: 2 } } } };
      const found = await Promise.all(EACH.map(() => send('POST', '/films/_search', query)));
      for (const { json } of found) expect(json.hits.total.value).toBe(CONNECTIONS - 2);
    }
    const after = await statistics('http,thread_pool');
    const more = (name: string): number =>
      after.thread_pool[name].completed - (before.thread_pool[name].completed as number);
    expect(more('search')).toBe(6 * CONNECTIONS);
    expect(more('write')).toBe(CONNECTIONS);
    expect(after.http.total_opened - before.http.total_opened).toBe(7 * CONNECTIONS + 1);
    const [pool] = (await send('GET', '/_cat/thread_pool/write?format=json&h=size,queue_size')).json as Json[];
    expect(after.thread_pool.write.threads).toBe(Number(pool.size));
    expect(pool.queue_size).toBe('10000');
  });

  it('go on over a connection that stays open, while states of the cluster come', async () => {
    const agents = EACH.map(() => new Agent({ keepAlive: true, maxSockets: 1 }));
    try {
      for (const round of [1, 2]) {
        await send('PUT', `/round-${round}`);
        const answers = await Promise.all(agents.map((agent) => send('GET', `/round-${round}`, undefined, agent)));
        expect(answers.map(({ status }) => status)).toEqual(EACH.map(() => 200));
        const health = await Promise.all(agents.map((agent) => send('GET', '/_cluster/health', undefined, agent)));
        for (const { json } of health) expect(json.active_primary_shards).toBe(round);
      }
      expect((await statistics('http')).http.current_open).toBeGreaterThanOrEqual(CONNECTIONS);
    } finally {
      for (const agent of agents) agent.destroy();
    }
  });

  it('that a client takes back are cancelled', async () => {
    const action = 'cluster:monitor/health';
    const abandoned = EACH.map(() => {
      const sent = ask(`${node.url}/_cluster/health?wait_for_nodes=7&timeout=60s`, { agent: false });
      sent.on('error', () => undefined);
      sent.end();
      return sent;
    });
    await running(action, CONNECTIONS);
    for (const sent of abandoned) sent.destroy();
    await running(action, 0);
  });

  it('run and wait up to the limits of the node, and are refused beyond it, whichever thread has them', async () => {
    await node.stop();
    node = await TestNode.start({ ...SETTINGS, 'thread_pool.write.size': '1', 'thread_pool.write.queue_size': '2' });
    await send('PUT', '/films', { settings: { refresh_interval: '-1' } });
    await send('PUT', '/films/_mapping', { properties: { at: { type: 'long' } } });
    const pool = async (): Promise<Json> => (await statistics('thread_pool')).thread_pool.write;
    const inside = async (count: number): Promise<void> => {
      await node.until(async () => {
        const { active, queue } = await pool();
        return active + queue === count && active <= 1 ? true : undefined;
      });
    };
    // Each waits for a refresh.
    const written = EACH.map((at) => send('PUT', `/films/_doc/${at}?refresh=wait_for`, { at }));
    await inside(3);
    await node.until(async () => ((await pool()).rejected === CONNECTIONS - 3 ? true : undefined));
    for (const left of [2, 1, 0]) {
      await send('POST', '/films/_refresh');
      await inside(left);
    }
    const statuses = (await Promise.all(written)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(3).fill(201), ...Array<number>(CONNECTIONS - 3).fill(429)]);
    expect(await pool()).toMatchObject({ active: 0, queue: 0, rejected: CONNECTIONS - 3, largest: 1 });
  });

  it('that are too large together are refused, whichever thread has them', async () => {
    const limit = { transient: { 'indices.breaker.inflight_requests.limit': `${64 * 1024}b` } };
    await send('PUT', '/_cluster/settings', limit);
    // Each holds 32 KiB of memory while its body comes.
    const begin = (): { sent: ClientRequest; status: Promise<number> } => {
      const headers = { 'content-type': 'application/x-ndjson', 'content-length': 20_000 };
      const sent = ask(`${node.url}/_bulk`, { method: 'POST', headers, agent: false });
      sent.write('{"index":{"_index":"films"}}\n');
      const status = new Promise<number>((resolve, reject) => {
        sent.on('response', (answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        });
        sent.on('error', reject);
      });
      return { sent, status };
    };
    const held = async (bytes: number, tripped: number): Promise<void> => {
      await node.until(async () => {
        const { estimated_size_in_bytes, tripped: found } = (await statistics('breaker')).breakers.inflight_requests;
        return estimated_size_in_bytes === bytes && found === tripped ? true : undefined;
      });
    };
    // Threads that take the last room at the same moment may both get it: so that is full before the others come.
    const within = EACH.slice(0, 2).map(begin);
    await held(64 * 1024, 0);
    const beyond = EACH.slice(2).map(begin);
    await held(64 * 1024, CONNECTIONS - 2);
    const rest = `{"title":"${'a'.repeat(20_000 - 29 - 13)}"}\n`;
    for (const { sent } of [...within, ...beyond]) sent.end(rest);
    expect(await Promise.all(within.map(({ status }) => status))).toEqual([200, 200]);
    expect(await Promise.all(beyond.map(({ status }) => status))).toEqual(beyond.map(() => 429));
  });
});

describe('tasks', () => {
  const REINDEX = 'indices:data/write/reindex';
  const COPY = { source: { index: 'films', size: 2 }, dest: { index: 'copies' } };

  beforeEach(async () => {
    const documents = Array.from({ length: 40 }, (_, at) => [{ index: { _id: String(at) } }, { at }]).flat();
    await node.bulk('/films/_bulk?refresh=true', documents);
  });

  /** Each takes longer than the test, unless it is cancelled: before its first page that is an error, later a short answer. */
  function copies(): Promise<Reply>[] {
    return EACH.map(() => send('POST', '/_reindex?requests_per_second=1', COPY));
  }

  it('of all fronts are told of, each by a number of its own, and can be cancelled one by one', async () => {
    const copying = copies();
    const tasks = await running(REINDEX, CONNECTIONS);
    const ids = tasks.map(({ node: nodeId, id }) => `${nodeId}:${id}`);
    expect(new Set(ids).size).toBe(CONNECTIONS);
    expect(new Set(tasks.map(({ id }) => id % FRONTS)).size).toBe(FRONTS);
    const starts = tasks.map(({ start_time_in_millis: startedAt }) => startedAt as number);
    expect(starts).toEqual([...starts].sort((left, right) => left - right));
    for (const id of ids) {
      expect((await send('GET', `/_tasks/${id}`)).json.completed).toBe(false);
      const { nodes } = (await send('POST', `/_tasks/${id}/_cancel?wait_for_completion=true`)).json;
      expect(Object.values<Json>(nodes).flatMap((each) => Object.keys(each.tasks))).toEqual([id]);
    }
    for (const { json } of await Promise.all(copying)) expect(JSON.stringify(json)).toContain('by user request');
    expect((await send('POST', `/_tasks/${ids[1] ?? ''}/_cancel`)).json.node_failures).toHaveLength(1);
  });

  it('are cancelled by what they do, and their ends can be waited for', async () => {
    const copying = copies();
    await running(REINDEX, CONNECTIONS);
    const { nodes } = (await send('POST', `/_tasks/_cancel?actions=${REINDEX}&wait_for_completion=true`)).json;
    expect(Object.values<Json>(nodes).flatMap((each) => Object.keys(each.tasks))).toHaveLength(CONNECTIONS);
    expect(await tasksOf(REINDEX)).toEqual([]);
    for (const { json } of await Promise.all(copying)) expect(JSON.stringify(json)).toContain('by user request');
  });

  it('that work at a pace tell how far they are, take another pace, and end with their parts', async () => {
    const copying = Array.from({ length: FRONTS }, () =>
      send('POST', '/_reindex?requests_per_second=1&slices=2', COPY),
    );
    // Each has two parts.
    const tasks = await running(REINDEX, 3 * FRONTS);
    const whole = tasks.filter(({ parent_task_id: parent }) => parent === undefined);
    expect(whole).toHaveLength(FRONTS);
    const [first, ...others] = whole.map(({ node: nodeId, id }) => `${nodeId}:${id}`);
    const hurried = await send('POST', `/_reindex/${first}/_rethrottle?requests_per_second=-1`);
    expect(Object.values<Json>(hurried.json.nodes).flatMap((each) => Object.keys(each.tasks))).toContain(first);
    for (const id of others) {
      expect((await send('POST', `/_tasks/${id}/_cancel?wait_for_completion=true`)).status).toBe(200);
    }
    expect(await running(REINDEX, 0)).toEqual([]);
    const answers = await Promise.all(copying);
    expect(answers.filter(({ json }) => JSON.stringify(json).includes('by user request'))).toHaveLength(FRONTS - 1);
  });
});

describe('the end of the node', () => {
  it('waits for what was accepted, on every connection', async () => {
    await send('PUT', '/films');
    const waiting = EACH.map((at) => send('PUT', `/films/_doc/${at}?wait_for_active_shards=2&timeout=2s`, { at }));
    await running('indices:data/write/index', CONNECTIONS);
    expect(await node.signal('SIGTERM')).toBe(0);
    for (const { status } of await Promise.all(waiting)) expect(status).toBe(503);
    const [stopped] = (await node.logged()).filter(({ msg }) => msg === 'stopped');
    // Those of side fronts among them.
    expect((stopped as unknown as { requests: number }).requests).toBeGreaterThan(CONNECTIONS);
  });
});

describe('users', () => {
  it('are let in by every front, and not with a password that is another now', async () => {
    await node.stop();
    const settings = { ...SETTINGS, ...SECURED, 'security.audit.enabled': 'true' };
    node = await TestNode.start(settings, undefined, [], { QUARRY_BOOTSTRAP_PASSWORD: PASSWORD });
    const admin = askAs(() => node, basic('admin', PASSWORD));
    await done(admin('PUT', '/_security/user/kim', { password: 'first-password', roles: [] }));
    const statusOf = async (password: string): Promise<number> => {
      const headers = { authorization: basic('kim', password) };
      return (await send('GET', '/_security/_authenticate', undefined, false, headers)).status;
    };
    const statuses = (password: string): Promise<readonly number[]> => Promise.all(EACH.map(() => statusOf(password)));
    expect(await statuses('first-password')).toEqual(EACH.map(() => 200));
    await done(admin('POST', '/_security/user/kim/_password', { password: 'second-password' }));
    expect(await statuses('first-password')).toEqual(EACH.map(() => 401));
    expect(await statuses('second-password')).toEqual(EACH.map(() => 200));
    const misses = async (): Promise<number> => {
      const { nodes } = await done(admin('GET', '/_nodes/stats/security'));
      return Object.values<Json>(nodes)[0].security.authentication.cache.misses as number;
    };
    const hashed = async (): Promise<number> => {
      const { nodes } = await done(admin('GET', '/_nodes/stats/security'));
      return Object.values<Json>(nodes)[0].security.authentication.password_hashes.completed as number;
    };
    const before = await misses();
    expect(await statuses('second-password')).toEqual(EACH.map(() => 200));
    expect(await misses()).toBe(before);
    await done(admin('POST', '/_security/realm/default_native/_clear_cache?usernames=kim'));
    // Whoever asks for figures is known to all of them.
    const asking = { authorization: basic('admin', PASSWORD) };
    await Promise.all(EACH.map(() => send('GET', '/_security/_authenticate', undefined, false, asking)));
    const hashedBefore = await hashed();
    // The first front remembers for all what it has compared, but not what it was told to forget.
    expect(await statusOf('second-password')).toBe(200);
    const first = (await hashed()) - hashedBefore;
    expect(first).toBe(1);
    expect(await statuses('second-password')).toEqual(EACH.map(() => 200));
    expect((await hashed()) - hashedBefore).toBe(first);
    expect((await misses()) - before).toBeGreaterThanOrEqual(FRONTS);
    const refused = await node.until(async () => {
      const logs = join(node.directory, 'logs');
      const files = (await readdir(logs)).filter((name) => name.startsWith('quarry_audit.'));
      const texts = await Promise.all(files.map((file) => readFile(join(logs, file), 'utf8')));
      const lines = texts.flatMap((text) => text.split('\n'));
      const found = lines.filter((line) => line.includes('"authentication_failed"') && line.includes('"kim"'));
      return found.length === CONNECTIONS ? found : undefined;
    });
    expect(new Set(refused.map((line) => (JSON.parse(line) as Json)['node.id'] as string)).size).toBe(1);
  });
});
