/** The log of a real node: levels by logger while it runs, what is deprecated, lines for people. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Answer } from './node-harness.js';

interface Line {
  readonly msg: string;
  readonly logger: string;
  readonly endpoint?: string;
  readonly opaqueId?: string;
}

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start({ 'compatibility.distribution': 'opensearch' });
  const settings = { number_of_replicas: 0, 'search.slowlog.threshold.query.warn': '0ms' };
  await node.put('/films', { settings });
}, 60_000);

afterAll(async () => {
  await node.stop();
});

afterEach(async () => {
  await node.put('/_cluster/settings', { persistent: { 'logger.*': null }, transient: { 'logger.*': null } });
});

const lines = async (): Promise<readonly Line[]> => (await node.logged()) as readonly Line[];

async function level(name: string, value: string | null): Promise<Answer> {
  return node.put('/_cluster/settings', { persistent: { [`logger.${name}`]: value } });
}

/** Lines of slow searches that one search brings; another line after it shows that none is on its way. */
async function slowLines(marker: string): Promise<readonly string[]> {
  const before = (await lines()).length;
  await node.get('/films/_search');
  await node.request(
    'PUT',
    `/marker-${marker}`,
    { settings: { 'index.translog.retention.age': '12h' } },
    { 'x-opaque-id': marker },
  );
  return node.until(async () => {
    const added = (await lines()).slice(before);
    const isThere = added.some(({ opaqueId }) => opaqueId === marker);
    return isThere ? added.filter(({ msg }) => msg === 'slow query').map(({ logger }) => logger) : undefined;
  });
}

describe('the level of a logger', () => {
  it('changes while the node runs, by either name, and goes back', async () => {
    expect(await slowLines('a')).toEqual(['index.search.slowlog']);
    await level('index.search.slowlog', 'ERROR');
    expect(await slowLines('b')).toEqual([]);
    await level('index.search.slowlog', null);
    expect(await slowLines('c')).toEqual(['index.search.slowlog']);
    await level('org.opensearch.index', 'error');
    expect(await slowLines('d')).toEqual([]);
    await level('index.search.slowlog', 'trace');
    expect(await slowLines('e')).toEqual(['index.search.slowlog']);
  });

  it.each([
    ['_root', 'LOUD', 'Unknown level constant [LOUD]'],
    ['index', '', 'Unknown level constant []'],
    ['nothing', 'INFO', 'setting [logger.nothing] names no logger: there are [_root, cluster,'],
    ['org.elasticsearch.xpack', 'INFO', 'setting [logger.org.elasticsearch.xpack] names no logger'],
  ])('is refused: %s %s', async (name, value, reason) => {
    const refused = await level(name, value);
    expect(refused.status).toBe(400);
    expect(refused.json().error.reason).toContain(reason);
  });

  it.each(['_root', 'org.elasticsearch', 'cluster', 'org.elasticsearch.cluster.coordination', 'deprecation'])(
    'is taken: %s, in any case',
    async (name) => {
      expect((await level(name, 'ERROR')).status).toBe(200);
      expect((await level(name, 'warn')).status).toBe(200);
    },
  );
});

describe('what is deprecated', () => {
  it('is logged once for each client that is warned of it', async () => {
    const use = async (name: string, client: string): Promise<void> => {
      const body = { settings: { 'index.translog.retention.age': '12h' } };
      const answer = await node.request('PUT', `/${name}`, body, { 'x-opaque-id': client });
      expect(answer.headers.get('warning')).toContain('deprecated and effectively ignored');
    };
    for (const name of ['x1', 'x2', 'x3', 'x4', 'x5', 'x6']) await use(name, 'one client');
    await use('y', 'another client');
    const told = await node.until(async () => {
      const found = (await lines()).filter(
        ({ logger, opaqueId }) => logger === 'deprecation' && opaqueId?.endsWith('client'),
      );
      return found.some(({ opaqueId }) => opaqueId === 'another client') ? found : undefined;
    });
    // Each of the two workers tells it once.
    expect(told.length).toBeLessThanOrEqual(4);
    expect(told[0]).toMatchObject({ endpoint: 'indices.create', msg: expect.stringContaining('deprecated and') });
  });
});

describe('lines for people', () => {
  it('are written where the configuration says so, with levels by logger', async () => {
    const plain = await TestNode.start({ 'logger.format': 'plain', 'logger.org.elasticsearch.cluster': 'ERROR' });
    try {
      const logs = join(plain.directory, 'logs');
      const text = await plain.until(async () => {
        const [file] = await readdir(logs);
        const read = await readFile(join(logs, file ?? ''), 'utf8');
        return read.includes('started') ? read : undefined;
      });
      expect(text).toMatch(/^\[[^\]]+Z\]\[INFO \]\[node\] \[[^\]]+\] started version=\S+ address=127\.0\.0\.1:\d+ /m);
      expect(text).not.toContain('[cluster');
    } finally {
      await plain.stop();
    }
  });
});
