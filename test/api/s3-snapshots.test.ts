/** Snapshots in buckets of two real servers of the S3 protocol, by real nodes with their keystores. */
import {
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigFolder } from '../cli/keystore-harness.js';
import { ACCESS_KEY, S3Server, SECRET_KEY, SERVER_KINDS } from '../repositories/s3-servers.js';
import { PROXY_PASSWORD, PROXY_USER, TestProxy } from '../repositories/test-proxy.js';
import { TestNode, type Json } from './node-harness.js';

const BUCKET = 'backups';
const KEY = 's3.client.default.access_key';
const SECRET = 's3.client.default.secret_key';

describe.each(SERVER_KINDS.map((kind) => ({ kind, name: kind.name, program: kind.program() })))(
  'repositories in $name',
  ({ kind, name, program }) => {
    const test = it.skipIf(program === undefined);
    if (program === undefined) it.skip(`${name} cannot be installed`, () => undefined);

    let server: S3Server;
    let proxy: TestProxy;
    let folder: ConfigFolder;
    let node: TestNode;

    const start = (home: ConfigFolder): Promise<TestNode> =>
      TestNode.start(
        {
          's3.client.default.endpoint': server.endpoint,
          's3.client.default.path_style_access': 'true',
          's3.client.proxied.endpoint': server.endpoint,
          's3.client.proxied.path_style_access': 'true',
          's3.client.proxied.max_retries': '0',
          's3.client.proxied.proxy.host': '127.0.0.1',
          's3.client.proxied.proxy.port': String(proxy.port),
        },
        home.directory,
        ['--config', home.config],
      );

    beforeAll(async () => {
      if (program === undefined) return;
      server = await S3Server.start(kind, program);
      proxy = await TestProxy.start();
      await server.makeBucket(BUCKET);
      folder = await ConfigFolder.make();
      await folder.add({ [KEY]: ACCESS_KEY, [SECRET]: SECRET_KEY });
      node = await start(folder);
    }, 120_000);

    afterAll(async () => {
      if (program === undefined) return;
      await node.stop();
      await proxy.stop();
      await server.stop();
    });

    async function ok(method: string, path: string, body?: Json): Promise<Json> {
      const answer = await node.request(method, path, body);
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      return answer.json();
    }

    async function register(repository: string, settings: Json = {}): Promise<void> {
      await ok('PUT', `/_snapshot/${repository}`, {
        type: 's3',
        settings: { bucket: BUCKET, base_path: repository, ...settings },
      });
    }

    async function fill(index: string, from: number, to: number, words = 1): Promise<void> {
      const lines = Array.from({ length: to - from }, (_, at) => [
        { index: { _id: String(from + at) } },
        {
          n: from + at,
          text: Array.from({ length: words }, (_each, word) => `w${(at * 7_919 + word * 104_729) % 1_000_003}`).join(
            ' ',
          ),
        },
      ]).flat();
      expect((await node.bulk(`/${index}/_bulk?refresh=true`, lines)).json().errors).toBe(false);
    }

    const take = async (path: string, body: Json = {}): Promise<Json> =>
      (await ok('PUT', `/_snapshot/${path}?wait_for_completion=true`, body)).snapshot;

    async function restored(path: string, index: string, to: string): Promise<number> {
      const body = { indices: index, rename_pattern: '(.+)', rename_replacement: to };
      const answer = await ok('POST', `/_snapshot/${path}/_restore?wait_for_completion=true`, body);
      expect(answer.snapshot.shards.failed).toBe(0);
      return (await ok('GET', `/${to}/_count`)).count;
    }

    async function objects(repository: string): Promise<readonly string[]> {
      const input = { Bucket: BUCKET, Prefix: `${repository}/` };
      const { Contents: contents = [] } = await server.client().send(new ListObjectsV2Command(input));
      return contents.map(({ Key }) => Key ?? '');
    }

    const isFile = (key: string): boolean => /\/file-/.test(key);

    test('takes snapshots that share files, gives them back, and forgets what none needs', async () => {
      await register('shared', { server_side_encryption: true, storage_class: 'standard', compress: false });
      await fill('goods', 0, 300);
      expect(await take('shared/first', { indices: 'goods' })).toMatchObject({
        state: 'SUCCESS',
        shards: { failed: 0 },
      });
      const files = (await objects('shared')).filter(isFile);
      expect(await take('shared/again', { indices: 'goods' })).toMatchObject({ state: 'SUCCESS' });
      expect((await objects('shared')).filter(isFile)).toEqual(files);
      await fill('goods', 300, 400);
      await take('shared/more', { indices: 'goods' });
      expect((await objects('shared')).filter(isFile).length).toBeGreaterThan(files.length);
      expect(await restored('shared/first', 'goods', 'goods-first')).toBe(300);
      await ok('DELETE', '/_snapshot/shared/first,again');
      expect(await restored('shared/more', 'goods', 'goods-more')).toBe(400);
      await ok('DELETE', '/_snapshot/shared/more');
      expect((await objects('shared')).filter(isFile)).toEqual([]);
      expect(Object.keys((await ok('POST', '/_snapshot/shared/_verify')).nodes)).toHaveLength(1);
      expect((await ok('POST', '/_snapshot/shared/_cleanup')).results.deleted_blobs).toBe(0);
    }, 120_000);

    test('sends what is longer than a part in parts, and in chunks of the length that is asked for', async () => {
      await register('parts', { buffer_size: '5mb' });
      await ok('PUT', '/large', { settings: { number_of_replicas: 0 } });
      for (let at = 0; at < 4; at++) await fill('large', at * 1_000, (at + 1) * 1_000, 400);
      await ok('POST', '/large/_forcemerge?max_num_segments=1');
      await take('parts/whole', { indices: 'large' });
      await register('parts', { buffer_size: '5mb', chunk_size: '5mb' });
      await fill('large', 4_000, 5_000, 400);
      await ok('POST', '/large/_forcemerge?max_num_segments=1');
      await take('parts/chunked', { indices: 'large' });
      expect((await objects('parts')).some((key) => /\/file-.*\.1$/.test(key))).toBe(true);
      await register('parts', { buffer_size: '6mb' });
      expect(await restored('parts/chunked', 'large', 'large-chunked')).toBe(5_000);
      await ok('DELETE', '/_snapshot/parts/whole');
      expect(await restored('parts/chunked', 'large', 'large-again')).toBe(5_000);
    }, 180_000);

    test('tells a damaged blob, and fails only the shard that needs it', async () => {
      await register('damaged');
      await ok('PUT', '/two', { settings: { number_of_shards: 2, number_of_replicas: 0 } });
      await fill('two', 0, 100);
      await take('damaged/one', { indices: 'two' });
      const [key = ''] = (await objects('damaged')).filter((each) => isFile(each) && each.includes('/0/'));
      const client = server.client();
      const found = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: key }));
      const bytes = (await found.Body?.transformToByteArray()) ?? new Uint8Array(0);
      const at = bytes.length >> 1;
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: key, Body: bytes }));
      const body = { rename_pattern: '(.+)', rename_replacement: 'two-restored', indices: 'two' };
      const answer = await ok('POST', '/_snapshot/damaged/one/_restore?wait_for_completion=true', body);
      expect(answer.snapshot.shards).toMatchObject({ total: 2, failed: 1, successful: 1 });
      await ok('DELETE', '/two-restored');
    }, 60_000);

    test('goes on after a kill, and leaves no upload behind', async () => {
      await register('killed', { buffer_size: '5mb', max_snapshot_bytes_per_sec: '4mb' });
      await ok('PUT', '/_snapshot/killed/cut?wait_for_completion=false', { indices: 'large' });
      await node.until(async () => ((await objects('killed')).length > 0 ? true : undefined));
      await node.signal('SIGKILL');
      node = await start(folder);
      await node.until(async () =>
        (await node.get('/_cluster/health?wait_for_status=yellow&timeout=5s')).status === 200 ? true : undefined,
      );
      await register('killed', { buffer_size: '5mb', max_snapshot_bytes_per_sec: '400mb' });
      expect(await take('killed/next', { indices: 'large' })).toMatchObject({ state: 'SUCCESS' });
      expect(await restored('killed/next', 'large', 'large-killed')).toBe(5_000);
    }, 180_000);

    test('is written by one of two clusters, and says so to the other', async () => {
      await register('disputed');
      await fill('goods', 0, 10);
      await take('disputed/mine', { indices: 'goods' });
      const home = await ConfigFolder.make();
      await home.add({ [KEY]: ACCESS_KEY, [SECRET]: SECRET_KEY });
      const other = await start(home);
      try {
        await other.put('/theirs/_doc/1?refresh=true', { n: 1 });
        const settings = { bucket: BUCKET, base_path: 'disputed' };
        expect((await other.put('/_snapshot/disputed', { type: 's3', settings })).status).toBe(200);
        expect((await other.put('/_snapshot/disputed/theirs?wait_for_completion=true', {})).status).toBe(200);
        const refused = await node.put('/_snapshot/disputed/late?wait_for_completion=true', {});
        expect(refused.json().error).toMatchObject({
          type: 'repository_exception',
          reason: expect.stringContaining('concurrent modification of the repository'),
        });
        const both = (await other.get('/_snapshot/disputed/_all')).json().snapshots as readonly { snapshot: string }[];
        expect(both.map(({ snapshot }) => snapshot).sort()).toEqual(['mine', 'theirs']);
      } finally {
        await other.stop();
      }
    }, 120_000);

    test('refuses settings that it cannot follow, by name', async () => {
      const refusals: readonly (readonly [Json, RegExp])[] = [
        [{}, /No bucket defined/],
        [{ bucket: 'no bucket' }, /\[no bucket\] is no name of a bucket/],
        [{ bucket: BUCKET, base_path: '/a' }, /base_path/],
        [{ bucket: BUCKET, buffer_size: '1mb' }, /buffer_size/],
        [{ bucket: BUCKET, storage_class: 'glacier' }, /storage_class/],
        [{ bucket: BUCKET, canned_acl: 'mine' }, /canned_acl/],
        [{ bucket: BUCKET, chunk_size: '6tb' }, /chunk_size/],
        [{ bucket: BUCKET, chunk_size: '4mb' }, /\[4mb\] for setting \[chunk_size\], must be >= \[5mb\]/],
        [{ bucket: BUCKET, chunk_size: '5mb', buffer_size: '6mb' }, /setting \[chunk_size\], must be >= \[6mb\]/],
        [{ bucket: BUCKET, access_key: 'x' }, /unknown setting \[access_key\]/],
        [{ bucket: BUCKET, client: 'other' }, /client \[other\] has no credentials for bucket \[backups\]/],
        [{ bucket: 'no-such-bucket' }, /bucket \[no-such-bucket\] with client \[default\]: .*NoSuchBucket/],
      ];
      for (const [settings, reason] of refusals) {
        const answer = await node.put('/_snapshot/refused', { type: 's3', settings });
        expect(answer.status, JSON.stringify(settings)).toBeGreaterThanOrEqual(400);
        expect(answer.text).toMatch(reason);
        await node.delete('/_snapshot/refused');
      }
    }, 60_000);

    // moto takes any credentials.
    it.skipIf(program === undefined || name === 'moto')(
      'takes new credentials while it runs',
      async () => {
        await register('reloaded');
        await folder.add({ [SECRET]: 'wrong-secret-of-nobody' });
        expect(Object.values((await ok('POST', '/_nodes/reload_secure_settings')).nodes)).toEqual([
          { name: expect.any(String) },
        ]);
        const refused = await node.post('/_snapshot/reloaded/_verify');
        expect(refused.json().error).toMatchObject({
          type: 'repository_verification_exception',
          reason: expect.stringMatching(/bucket \[backups\] with client \[default\]: SignatureDoesNotMatch/),
        });
        expect(refused.text).not.toContain('wrong-secret-of-nobody');
        expect(refused.text).not.toContain(ACCESS_KEY);
        await folder.add({ [SECRET]: SECRET_KEY });
        await ok('POST', '/_nodes/reload_secure_settings');
        expect((await node.post('/_snapshot/reloaded/_verify')).status).toBe(200);
        expect(JSON.stringify(await node.logged())).not.toMatch(/wrong-secret-of-nobody|the-secret-of-the-tests/);
      },
      60_000,
    );

    test('goes through a proxy where its client has one, with the credentials of the keystore', async () => {
      const credentials = (password: string): Record<string, string> => ({
        's3.client.proxied.access_key': ACCESS_KEY,
        's3.client.proxied.secret_key': SECRET_KEY,
        's3.client.proxied.proxy.username': PROXY_USER,
        's3.client.proxied.proxy.password': password,
      });
      await folder.add(credentials('wrong'));
      await ok('POST', '/_nodes/reload_secure_settings');
      const settings = { bucket: BUCKET, base_path: 'proxied', client: 'proxied' };
      const refused = await node.put('/_snapshot/proxied', { type: 's3', settings });
      expect(refused.status, refused.text).toBeGreaterThanOrEqual(400);
      expect(proxy.refusals).toBeGreaterThan(0);
      expect([proxy.connections, refused.text.includes('wrong')]).toEqual([0, false]);
      await folder.add(credentials(PROXY_PASSWORD));
      await ok('POST', '/_nodes/reload_secure_settings');
      await ok('PUT', '/_snapshot/proxied', { type: 's3', settings });
      await fill('travellers', 0, 50);
      expect(await take('proxied/one', { indices: 'travellers' })).toMatchObject({ state: 'SUCCESS' });
      expect(proxy.connections).toBeGreaterThan(0);
    });

    test('has no unfinished uploads at the end but those of the kill', async () => {
      const { Uploads: uploads = [] } = await server.client().send(new ListMultipartUploadsCommand({ Bucket: BUCKET }));
      expect(uploads.filter(({ Key }) => Key?.startsWith('killed/') !== true)).toEqual([]);
    });
  },
);
