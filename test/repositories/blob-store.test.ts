/** What `BlobStore` promises, of every store: directories, and two servers of the S3 protocol. */
import { CreateMultipartUploadCommand, ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_S3_CLIENT } from '../../src/base/s3-client-settings.js';
import { systemClock, type Clock } from '../../src/base/clock.js';
import type { BlobSource, BlobStore } from '../../src/repositories/blob-store.js';
import { openStore } from '../../src/repositories/settings.js';
import type { RepositoryPlaces } from '../../src/repositories/places.js';
import { ACCESS_KEY, S3Server, SECRET_KEY, SERVER_KINDS } from './s3-servers.js';

const DAY_MS = 24 * 3_600_000;
const PART = 5 << 20;
const tomorrow: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + DAY_MS + 1 };

interface Opened {
  readonly store: BlobStore;
  /** Leaves a write behind as a crash would; gives how many such there are. */
  leaveUnfinished(): Promise<void>;
  countUnfinished(): Promise<number>;
  close(): Promise<void>;
}

interface Kind {
  readonly name: string;
  readonly isThere: boolean;
  open(): Promise<Opened>;
}

const places = (more: Partial<RepositoryPlaces>): RepositoryPlaces => ({
  paths: [],
  allowedUrls: [],
  s3Clients: {},
  secureSettings: { version: 0, read: () => Promise.resolve({ secureSetting: () => undefined }) },
  clock: tomorrow,
  ...more,
});

const fs: Kind = {
  name: 'fs',
  isThere: true,
  async open() {
    const directory = await mkdtemp(join(tmpdir(), 'quarry-blobs-'));
    const settings = new Map([['location', directory]]);
    const store = openStore({ name: 'r', type: 'fs', settings }, places({ paths: [directory] }));
    const left = join(directory, 'x.unfinished-1');
    return {
      store,
      leaveUnfinished: () => writeFile(left, 'x'),
      countUnfinished: () =>
        utimes(left, 0, 0).then(
          () => 1,
          () => 0,
        ),
      close: () => rm(directory, { recursive: true, force: true }),
    };
  },
};

const s3: readonly Kind[] = SERVER_KINDS.map((kind) => {
  const program = kind.program();
  return {
    name: kind.name,
    isThere: program !== undefined,
    async open() {
      const server = await S3Server.start(kind, program ?? '');
      await server.makeBucket('blobs');
      const values: Readonly<Record<string, string>> = { access_key: ACCESS_KEY, secret_key: SECRET_KEY };
      const secureSettings = {
        version: 0,
        read: () => Promise.resolve({ secureSetting: (name: string) => values[name.slice(name.lastIndexOf('.') + 1)] }),
      };
      const s3Clients = { default: { ...DEFAULT_S3_CLIENT, endpoint: server.endpoint, path_style_access: true } };
      const settings = new Map(Object.entries({ bucket: 'blobs', base_path: 'some/where', buffer_size: `${PART}b` }));
      const store = openStore({ name: 'r', type: 's3', settings }, places({ s3Clients, secureSettings }));
      const client = server.client();
      return {
        store,
        async leaveUnfinished() {
          await client.send(new CreateMultipartUploadCommand({ Bucket: 'blobs', Key: 'some/where/x' }));
        },
        async countUnfinished() {
          const { Uploads: uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: 'blobs' }));
          return uploads.length;
        },
        close: () => server.stop(),
      };
    },
  };
});

const bytesOf = (text: string): Uint8Array => Buffer.from(text);
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

/** Bytes that differ from piece to piece. */
function sourceOf(length: number, failsAt = Infinity): BlobSource {
  return {
    length,
    read(offset, count) {
      if (offset + count > failsAt) return Promise.reject(new Error('the source fails'));
      return Promise.resolve(
        Buffer.from(
          Uint32Array.from({ length: Math.ceil(count / 4) + 1 }, (_, at) => (offset >> 2) + at).buffer,
        ).subarray(0, count),
      );
    },
  };
}

describe.each([fs, ...s3])('a store of blobs: $name', (kind) => {
  const { name, isThere } = kind;
  let opened: Opened;
  let store: BlobStore;

  beforeAll(async () => {
    if (!isThere) return;
    opened = await kind.open();
    store = opened.store;
  }, 60_000);

  afterAll(async () => {
    await (opened as Opened | undefined)?.close();
  });

  const test = it.skipIf(!isThere);
  if (!isThere) it.skip(`${name} cannot be installed`, () => undefined);

  test('gives back what was written, and nothing for what was not', async () => {
    await store.write('a/one', bytesOf('first'));
    expect(textOf(await store.read('a/one', 100))).toBe('first');
    await store.write('a/one', bytesOf('second'));
    expect(textOf(await store.read('a/one', 6))).toBe('second');
    await expect(store.read('a/one', 5)).rejects.toMatchObject({
      type: 'i_o_exception',
      message: expect.stringContaining('more than [5]'),
    });
    await expect(store.read('a/none', 5)).rejects.toMatchObject({ type: 'no_such_file_exception' });
    await store.write('empty', new Uint8Array(0));
    expect(await store.read('empty', 0)).toHaveLength(0);
  });

  test('gives the range that is asked for, or an error', async () => {
    await store.write('ranged', bytesOf('0123456789'));
    expect(textOf(await store.readRange('ranged', 3, 4))).toBe('3456');
    expect(textOf(await store.readRange('ranged', 0, 10))).toBe('0123456789');
    expect(await store.readRange('ranged', 3, 0)).toHaveLength(0);
    await expect(store.readRange('ranged', 8, 3)).rejects.toMatchObject({
      type: 'corrupt_index_exception',
      message: expect.stringContaining('ranged'),
    });
    await store.write('nothing', new Uint8Array(0));
    for (const [name, offset] of [
      ['ranged', 20],
      ['nothing', 0],
    ] as const) {
      const reading = store.readRange(name, offset, 3);
      await expect(reading).rejects.toMatchObject({ type: 'corrupt_index_exception' });
    }
    await expect(store.readRange('absent', 0, 3)).rejects.toMatchObject({ type: 'no_such_file_exception' });
  });

  test('lets one of several writers make a new blob', async () => {
    expect(store.isConditional).toBe(true);
    for (let round = 0; round < 5; round++) {
      const writers = Array.from({ length: 8 }, (_, at) => `writer ${at}`);
      const outcomes = await Promise.allSettled(
        writers.map((writer) => store.writeNew(`new-${round}`, bytesOf(writer))),
      );
      const won = writers.filter((_, at) => outcomes[at]?.status === 'fulfilled');
      expect(won).toHaveLength(1);
      expect(textOf(await store.read(`new-${round}`, 100))).toBe(won[0]);
      const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
      for (const failure of failures) expect(failure).toMatchObject({ type: 'file_already_exists_exception' });
      await expect(store.writeNew(`new-${round}`, bytesOf('late'))).rejects.toMatchObject({
        type: 'file_already_exists_exception',
      });
    }
    expect(store.isConditional).toBe(true);
  }, 30_000);

  test.each([0, 10, PART, PART + 1, 2 * PART + 3])(
    'takes a large blob of %i bytes',
    async (length) => {
      await store.writeLarge('large/blob', sourceOf(length));
      const { blobs } = await store.list('large');
      expect(blobs.get('blob')).toBe(length);
      const expected = await sourceOf(length).read(0, length);
      expect(Buffer.compare(await store.read('large/blob', length), expected)).toBe(0);
      if (length > PART) {
        const from = PART - 2;
        expect(Buffer.compare(await store.readRange('large/blob', from, 3), expected.subarray(from, from + 3))).toBe(0);
      }
    },
    30_000,
  );

  test('leaves nothing of a write that failed', async () => {
    await expect(store.writeLarge('failed/blob', sourceOf(3 * PART, 2 * PART))).rejects.toThrow();
    expect((await store.list('failed')).blobs.size).toBe(0);
    await expect(store.read('failed/blob', PART)).rejects.toMatchObject({ type: 'no_such_file_exception' });
    expect(await opened.countUnfinished()).toBe(0);
  }, 30_000);

  test('takes away what a crash left unfinished', async () => {
    await opened.leaveUnfinished();
    expect(await opened.countUnfinished()).toBe(1);
    expect(await store.removeUnfinished()).toBe(1);
    expect(await opened.countUnfinished()).toBe(0);
  });

  test('lists more than a page, and folders apart', async () => {
    const names = Array.from({ length: 1_100 }, (_, at) => `many/blob-${String(at).padStart(5, '0')}`);
    for (let at = 0; at < names.length; at += 50) {
      await Promise.all(names.slice(at, at + 50).map((each) => store.write(each, bytesOf(each))));
    }
    await store.write('many/below/deep/one', bytesOf('1'));
    await store.write('many-others', bytesOf('1'));
    const { blobs, folders } = await store.list('many');
    expect([...blobs.keys()].map((each) => `many/${each}`)).toEqual(names);
    expect(blobs.get('blob-00007')).toBe('many/blob-00007'.length);
    expect(folders).toEqual(['below']);
    expect(await store.list('no-such-folder')).toEqual({ blobs: new Map(), folders: [] });
    expect([...(await store.list('')).blobs.keys()]).toContain('many-others');
    await store.remove([...names.slice(0, 1_050), 'many/absent']);
    expect((await store.list('many')).blobs.size).toBe(50);
    expect(await store.removeFolder('many')).toEqual({ blobs: 51, bytes: 50 * 'many/blob-00000'.length + 1 });
    expect(await store.list('many')).toEqual({ blobs: new Map(), folders: [] });
    expect(textOf(await store.read('many-others', 1))).toBe('1');
    await store.remove([]);
  }, 120_000);
});
