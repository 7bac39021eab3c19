/** Repositories that are read from a web server, or from a directory by its URL. */
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;
let directory: string;
let server: Server;
let address: string;
/** How many of the next requests the server fails. */
let faults = 0;

/** Shows the directory, with ranges; `/elsewhere` leads there too. */
async function show(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = decodeURIComponent(request.url ?? '');
  if (faults > 0) {
    faults--;
    response.writeHead(503).end();
    return;
  }
  if (path.startsWith('/elsewhere/')) {
    response.writeHead(302, { location: path.slice('/elsewhere'.length) }).end();
    return;
  }
  const file = join(directory, path);
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile() !== true) {
    response.writeHead(404).end();
    return;
  }
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
  const [start, end] =
    range === null ? [0, found.size - 1] : [Number(range[1]), Math.min(Number(range[2]), found.size - 1)];
  if (start >= found.size) response.writeHead(416).end();
  else createReadStream(file, { start, end }).pipe(response.writeHead(range === null ? 200 : 206));
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quarry-shown-'));
  server = createServer((request, response) => void show(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  node = await TestNode.start({
    'path.repo': directory,
    'repositories.url.allowed_urls': `${address}/source/*,${address}/elsewhere/source,http://*.example.org/backups/*`,
  });
});

afterAll(async () => {
  await node.stop();
  server.close();
  await rm(directory, { recursive: true, force: true });
});

async function ok(method: string, path: string, body?: Json): Promise<Json> {
  const answer = await node.request(method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.json();
}

describe('a repository of the type url', () => {
  beforeAll(async () => {
    await ok('PUT', '/_snapshot/source', { type: 'fs', settings: { location: 'source', chunk_size: '1kb' } });
    await ok('PUT', '/goods/_doc/1?refresh=true', { text: 'something worth keeping' });
    await ok('PUT', '/_snapshot/source/one?wait_for_completion=true', { indices: 'goods' });
  });

  it.each([
    ['http', () => `${address}/source`],
    ['file', () => pathToFileURL(join(directory, 'source')).href],
  ])(
    'gives back what lies there by %s, and sees what is added',
    async (name, url) => {
      const path = `/_snapshot/by-${name}`;
      await ok('PUT', path, { type: 'url', settings: { url: url() } });
      expect((await ok('GET', `${path}/_all`)).snapshots).toHaveLength(1);
      const rename = { rename_pattern: '(.+)', rename_replacement: `goods-${name}` };
      const { snapshot } = await ok('POST', `${path}/one/_restore?wait_for_completion=true`, {
        ...rename,
        indices: 'goods',
      });
      expect(snapshot.shards).toEqual({ total: 1, failed: 0, successful: 1 });
      expect((await ok('GET', `/goods-${name}/_count`)).count).toBe(1);
      for (const more of ['two', 'three', 'four']) {
        await ok('PUT', `/_snapshot/source/${more}?wait_for_completion=true`, { indices: 'goods' });
      }
      expect((await ok('GET', `${path}/_all`)).snapshots).toHaveLength(4);
      await ok('DELETE', '/_snapshot/source/two,three,four');
      expect((await ok('GET', `${path}/_all`)).snapshots).toHaveLength(1);
      for (const [method, below] of [
        ['PUT', 'mine'],
        ['DELETE', 'one'],
        ['POST', '_cleanup'],
        ['PUT', 'one/_clone/other'],
      ] as const) {
        const refused = await node.request(method, `${path}/${below}`, method === 'PUT' ? { indices: '*' } : undefined);
        expect(refused.json().error, below).toMatchObject({
          reason: expect.stringContaining('cannot change a read-only repository'),
        });
      }
    },
    60_000,
  );

  it('tells that the blob is damaged by which the newest root is found', async () => {
    const settings = { url: `${address}/source` };
    await ok('PUT', '/_snapshot/misled', { type: 'url', settings });
    const latest = join(directory, 'source', 'latest');
    const bytes = await readFile(latest);
    await writeFile(latest, Buffer.from(bytes.toString().replace('generation', 'generatiom')));
    expect((await node.get('/_snapshot/misled/_all')).json().error).toMatchObject({
      type: 'corrupt_index_exception',
      reason: expect.stringContaining('[latest]'),
    });
    await writeFile(latest, bytes);
    expect((await ok('GET', '/_snapshot/misled/_all')).snapshots).toHaveLength(1);
    const unlisted = await node.post('/_snapshot/misled/_verify_integrity');
    expect(unlisted.status).toBe(400);
    expect(unlisted.text).toContain('[misled] cannot be listed');
  });

  it('tries again when the server fails, and tells where it was led elsewhere', async () => {
    await ok('PUT', '/_snapshot/patient', { type: 'url', settings: { url: `${address}/source`, http_max_retries: 3 } });
    faults = 3;
    expect((await ok('GET', '/_snapshot/patient/_all')).snapshots).toHaveLength(1);
    faults = 4;
    expect((await node.get('/_snapshot/patient/_all')).text).toContain('the server answers 503');
    faults = 0;
    const settings = { url: `${address}/elsewhere/source`, http_max_retries: 0 };
    const led = await node.put('/_snapshot/led', { type: 'url', settings });
    expect(led.text).toContain('unexpected redirect');
  }, 30_000);

  it.each([
    ['no address', {}, /missing url/],
    ['one that is none', { url: 'nowhere' }, /no URL/],
    ['another protocol', { url: 'ftp://example.org/' }, /unsupported url protocol \[ftp\]/],
    ['a place that is not allowed', { url: 'http://127.0.0.1:1/source/' }, /repositories\.url\.allowed_urls/],
    ['a host in the path', { url: 'http://evil.org/a.example.org/backups/x' }, /repositories\.url\.allowed_urls/],
    ['a way out', { url: 'http://a.example.org/backups/../secrets/' }, /repositories\.url\.allowed_urls/],
    ['a directory that is not allowed', { url: 'file:///etc/' }, /path\.repo/],
    ['a password', { url: 'http://me:secret@a.example.org/backups/x' }, /a user or a password/],
    ['a query', { url: 'http://a.example.org/backups/x?y' }, /a query or a fragment/],
    ['the wish to write', { url: 'http://a.example.org/backups/x', readonly: false }, /is only read/],
    ['too many tries', { url: 'http://a.example.org/backups/x', http_max_retries: 101 }, /http_max_retries/],
  ])('is refused with %s', async (_what, settings, reason) => {
    const answer = await node.put('/_snapshot/refused', { type: 'url', settings });
    expect(answer.status).toBe(400);
    expect(answer.text).toMatch(reason);
  });
});
