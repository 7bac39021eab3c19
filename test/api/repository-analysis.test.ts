/** `_analyze`: a store that keeps its promises passes, and one that breaks one of them is found out. */
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, request as ask, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigFolder } from '../cli/keystore-harness.js';
import { ACCESS_KEY, S3Server, SECRET_KEY, SERVER_KINDS } from '../repositories/s3-servers.js';
import { TestNode, type Json } from './node-harness.js';

describe('an analysis of a directory', () => {
  let node: TestNode;
  let repositories: string;

  beforeAll(async () => {
    repositories = await mkdtemp(join(tmpdir(), 'quarry-repositories-'));
    node = await TestNode.start({ 'path.repo': repositories });
    await node.put('/_snapshot/sound', { type: 'fs', settings: { location: 'sound' } });
  });

  afterAll(async () => {
    await node.stop();
    await rm(repositories, { recursive: true, force: true });
  });

  it('tells what was done, how long it took, and leaves nothing behind', async () => {
    const path =
      '/_snapshot/sound/_analyze?blob_count=30&max_blob_size=6mb&seed=7&rare_action_probability=0.3&detailed';
    const answer = await node.post(path);
    expect(answer.status, answer.text).toBe(200);
    const report = answer.json();
    expect(report).toMatchObject({
      coordinating_node: { name: expect.any(String) },
      repository: 'sound',
      blob_count: 30,
      concurrency: 10,
      read_node_count: 10,
      early_read_node_count: 2,
      max_blob_size: '6mb',
      max_blob_size_bytes: 6 << 20,
      max_total_data_size: '1gb',
      seed: 7,
      rare_action_probability: 0.3,
      blob_path: expect.stringMatching(/^temp-analysis-/),
      issues_detected: [],
      listing_elapsed_nanos: expect.any(Number),
      delete_elapsed_nanos: expect.any(Number),
    });
    expect(report.details).toHaveLength(30);
    const { write, read } = report.summary;
    expect(write.count).toBeLessThan(30);
    expect(write.total_size_bytes).toBeGreaterThan(6 << 20);
    expect(read.count).toBeGreaterThanOrEqual(write.count);
    expect(read.total_elapsed_nanos).toBeGreaterThan(0);
    const again = (await node.post(path)).json();
    expect(again.summary.write.total_size_bytes).toBe(write.total_size_bytes);
    expect(await readdir(join(repositories, 'sound'))).toEqual([]);
  });

  it.each([
    ['blob_count=0', /\[blob_count\] is \[0\]/],
    ['blob_count=100001', /\[blob_count\]/],
    ['concurrency=1001', /\[concurrency\]/],
    ['rare_action_probability=1.5', /\[rare_action_probability\]/],
    ['max_blob_size=0', /\[max_blob_size\]/],
    ['max_total_data_size=5b&blob_count=6', /\[max_total_data_size\]/],
    ['register_operation_count=0', /\[register_operation_count\]/],
    ['colour=red', /unrecognized parameter/],
  ])('refuses %s', async (query, reason) => {
    const answer = await node.post(`/_snapshot/sound/_analyze?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.text).toMatch(reason);
  });

  it('refuses repositories that are read-only or not there, and ends when its time is over', async () => {
    await node.put('/_snapshot/shut', { type: 'fs', settings: { location: 'sound', readonly: true } });
    expect((await node.post('/_snapshot/shut/_analyze')).text).toContain('is read-only');
    expect((await node.post('/_snapshot/none/_analyze')).status).toBe(404);
    const late = await node.post('/_snapshot/sound/_analyze?timeout=1ms');
    expect(late.json().error).toMatchObject({
      type: 'repository_verification_exception',
      reason: expect.stringContaining('[sound] analysis failed, you may need to manually remove [temp-analysis-'),
    });
  });
});

const moto = SERVER_KINDS.find(({ name }) => name === 'moto');
const program = moto?.program();

describe.skipIf(program === undefined)('an analysis of a bucket (moto)', () => {
  let server: S3Server;
  /** Before the server; breaks what it is told to break. */
  let proxy: Server;
  let broken: 'nothing' | 'conditions' | 'contents' | 'listing' = 'nothing';
  let node: TestNode;

  /** The server looks, then writes, with other requests in between: it keeps its promise if it has one conditional write at a time. */
  let conditional: Promise<unknown> = Promise.resolve();

  function inTurn(request: IncomingMessage, response: ServerResponse): void {
    if (broken === 'conditions' || request.headers['if-none-match'] === undefined) {
      pass(request, response);
      return;
    }
    const before = conditional;
    conditional = once(response, 'close');
    void before.then(() => {
      pass(request, response);
    });
  }

  function pass(request: IncomingMessage, response: ServerResponse): void {
    const headers = { ...request.headers };
    if (broken === 'conditions') delete headers['if-none-match'];
    const isListing = request.url?.includes('list-type=2') === true;
    const onward = ask(`${server.endpoint}${request.url ?? ''}`, { method: request.method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        let body: Buffer = Buffer.concat(chunks);
        const isBlob = request.method === 'GET' && request.url?.includes('test-blob') === true && body.length > 10_000;
        if (broken === 'contents' && isBlob) body[5_000] = (body[5_000] ?? 0) ^ 1;
        if (broken === 'listing' && isListing)
          body = Buffer.from(body.toString().replaceAll('test-blob-3<', 'test-blob-x<'));
        const kept = Object.entries(answer.headers).filter(
          ([name]) => name !== 'transfer-encoding' && !name.startsWith('x-amz-checksum'),
        );
        const sent: Record<string, string | string[] | undefined> = Object.fromEntries(kept);
        if (request.method !== 'HEAD') sent['content-length'] = String(body.length);
        response.writeHead(answer.statusCode ?? 500, sent).end(request.method === 'HEAD' ? undefined : body);
      });
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  }

  beforeAll(async () => {
    if (moto === undefined) return;
    server = await S3Server.start(moto, program ?? '');
    await server.makeBucket('tried');
    proxy = createServer(inTurn);
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const folder = await ConfigFolder.make();
    await folder.add({ 's3.client.default.access_key': ACCESS_KEY, 's3.client.default.secret_key': SECRET_KEY });
    const endpoint = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    node = await TestNode.start(
      { 's3.client.default.endpoint': endpoint, 's3.client.default.path_style_access': 'true' },
      folder.directory,
      ['--config', folder.config],
    );
    await node.put('/_snapshot/tried', { type: 's3', settings: { bucket: 'tried', buffer_size: '5mb' } });
  }, 120_000);

  afterAll(async () => {
    if (moto === undefined) return;
    await node.stop();
    proxy.close();
    await server.stop();
  });

  const analyse = async (): Promise<Json> =>
    (
      await node.post(
        '/_snapshot/tried/_analyze?blob_count=10&max_blob_size=6mb&seed=3&register_operation_count=20&timeout=60s',
      )
    ).json();

  it.each([
    ['conditions', /wrote the new blob .* at once, \[\d+\] succeeded/],
    ['contents', /differs from what was written/],
    ['listing', /the listing lacks it: blob \[test-blob-3\]/],
  ] as const)(
    'finds out a store that breaks its promise about %s',
    async (what, reason) => {
      broken = what;
      const { error } = await analyse();
      expect(error).toMatchObject({ type: 'repository_verification_exception', reason: expect.stringMatching(reason) });
      broken = 'nothing';
      expect(await analyse()).toMatchObject({ issues_detected: [], blob_count: 10 });
    },
    120_000,
  );
});
