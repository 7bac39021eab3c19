import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/base/random.js';
import type { ReplicaShard } from '../../../src/native/replica-shard.js';
import type { MissingFile, SegmentSet } from '../../../src/native/replication.js';
import type { CopyLink } from '../../../src/shard/replication/copy-link.js';
import { IncomingFiles } from '../../../src/shard/replication/incoming-files.js';
import { PIECE_BYTES, pushSegments, type PushOptions } from '../../../src/shard/replication/push-segments.js';

const OPTIONS: PushOptions = { mode: 'replace', pace: () => Promise.resolve(0), concurrentPieces: 4 };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Takes bytes as the kernels do: in order, one piece at a time. */
class Store {
  readonly files = new Map<string, { bytes: Uint8Array; received: number; isBusy: boolean; isWhole: boolean }>();
  /** Writes that fail, counted from now. */
  failsAt = Infinity;

  constructor(lengths: Readonly<Record<string, number>>) {
    for (const [name, length] of Object.entries(lengths)) {
      this.files.set(name, { bytes: new Uint8Array(length), received: 0, isBusy: false, isWhole: false });
    }
  }

  missing(): readonly MissingFile[] {
    return [...this.files]
      .filter(([, { isWhole }]) => !isWhole)
      .map(([name, { bytes, received }]) => ({ name, uuid: name, length: bytes.length, checksum: 0, received }));
  }

  get replica(): ReplicaShard {
    const writeFile = async (name: string, offset: number, bytes: Uint8Array): Promise<void> => {
      const file = this.files.get(name);
      if (file === undefined || file.isBusy || file.received !== offset) throw new Error(`not the turn of ${offset}`);
      if (this.failsAt-- === 0) throw new Error('the disk fails');
      file.isBusy = true;
      await turn();
      file.isBusy = false;
      file.bytes.set(bytes, offset);
      file.received += bytes.length;
    };
    const finishFile = async (name: string): Promise<void> => {
      await turn();
      const file = this.files.get(name);
      if (file?.received !== file?.bytes.length) throw new Error(`${name} is not whole`);
      if (file !== undefined) file.isWhole = true;
    };
    return { writeFile, finishFile } as unknown as ReplicaShard;
  }
}

const contents = new Map<string, Uint8Array>();

function contentOf(name: string, length: number): Uint8Array {
  const known = contents.get(`${name} ${length}`);
  if (known !== undefined) return known;
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at++) bytes[at] = at * 31 + name.length + (at >> 12);
  contents.set(`${name} ${length}`, bytes);
  return bytes;
}

/** A primary with these files, and a link over which messages overtake each other, or get lost. */
function primaryWith(lengths: Readonly<Record<string, number>>): { set: SegmentSet; read: string[] } {
  const read: string[] = [];
  const set = {
    descriptor: () => new Uint8Array(),
    files: () => Object.entries(lengths).map(([name, length]) => ({ name, length })),
    read: (name: string, offset: number, length: number) => {
      read.push(`${name} ${offset / PIECE_BYTES}`);
      return Promise.resolve(contentOf(name, lengths[name] ?? 0).slice(offset, offset + length));
    },
  };
  return { set: set as unknown as SegmentSet, read };
}

function linkTo(store: Store, incoming: IncomingFiles, seed: number, isLost: () => boolean = () => false): CopyLink {
  const random = seededRandom(seed);
  const link: Partial<CopyLink> = {
    missingFiles: () => incoming.begin(() => store.missing()),
    writeFile: async (request) => {
      for (let late = random.below(6); late > 0; late--) await turn();
      if (isLost()) throw new Error('the connection broke');
      await incoming.write(store.replica, request);
      return null;
    },
    install: () => Promise.resolve({ maxSeqNo: 7 }),
  };
  return link as CopyLink;
}

const LENGTHS = { one: 5 * PIECE_BYTES + 17, two: PIECE_BYTES, three: 0, four: 3 };

function expectWhole(store: Store): void {
  for (const [name, { bytes, isWhole }] of store.files) {
    expect(isWhole, name).toBe(true);
    expect(Buffer.compare(bytes, contentOf(name, bytes.length)), name).toBe(0);
  }
}

describe('pieces of files', () => {
  it('are written in order whatever the order in which they come', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const store = new Store(LENGTHS);
      const { set } = primaryWith(LENGTHS);
      await expect(pushSegments(set, linkTo(store, new IncomingFiles(), seed), OPTIONS)).resolves.toEqual({
        maxSeqNo: 7,
      });
      expectWhole(store);
    }
  });

  it('tell of all the time for which they were held back', async () => {
    const link = linkTo(new Store(LENGTHS), new IncomingFiles(), 1);
    let toldMs = 0;
    const telling: CopyLink = {
      ...link,
      writeFile: (piece) => {
        toldMs = Math.max(toldMs, piece.throttledMs);
        return link.writeFile(piece);
      },
    };
    const pace = (): Promise<number> => turn().then(() => 1);
    await pushSegments(primaryWith(LENGTHS).set, telling, { ...OPTIONS, pace });
    expect(toldMs).toBe(9);
  });

  it('that were written before a link broke are not sent again, and those that wait are given up', async () => {
    const store = new Store(LENGTHS);
    const incoming = new IncomingFiles();
    const { set, read } = primaryWith(LENGTHS);
    let sent = 0;
    const breaking = linkTo(store, incoming, 3, () => ++sent === 3);
    await expect(pushSegments(set, breaking, OPTIONS)).rejects.toThrow('the connection broke');
    const before = store.files.get('one')?.received ?? 0;
    read.length = 0;
    await pushSegments(set, linkTo(store, incoming, 4), OPTIONS);
    expectWhole(store);
    expect(read[0]).toBe(`one ${before / PIECE_BYTES}`);
  });

  it('fail together with the one before them', async () => {
    const store = new Store(LENGTHS);
    const incoming = new IncomingFiles();
    const { push } = await incoming.begin(() => store.missing());
    const piece = (at: number): Promise<void> =>
      incoming.write(store.replica, {
        push,
        name: 'one',
        offset: at * PIECE_BYTES,
        bytes: new Uint8Array(PIECE_BYTES),
        isLast: false,
        throttledMs: 0,
      });
    const third = piece(2);
    const second = piece(1);
    store.failsAt = 1;
    const first = piece(0);
    const ended = await Promise.allSettled([first, second, third]);
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    await expect(piece(1)).rejects.toThrow('the disk fails');
  });

  it('of a former push, of unknown files, and too many that wait are refused', async () => {
    const store = new Store(LENGTHS);
    const incoming = new IncomingFiles();
    const { push: former } = await incoming.begin(() => store.missing());
    const { push } = await incoming.begin(() => store.missing());
    const request = { name: 'one', bytes: new Uint8Array(1), isLast: false, throttledMs: 0 };
    const send = (change: { push?: number; name?: string; offset: number }): Promise<void> =>
      incoming.write(store.replica, { ...request, push, ...change });
    await expect(send({ push: former, offset: 0 })).rejects.toThrow(`push [${former}] of files is over`);
    await expect(send({ name: 'nobody', offset: 0 })).rejects.toThrow('[nobody] is not missing');
    const waiting = Array.from({ length: 64 }, (_, at) => send({ offset: at + 1 }));
    await expect(send({ offset: 100 })).rejects.toThrow(
      'the next byte of [one] is [0], not [100], and [64] pieces wait',
    );
    incoming.close();
    const ended = await Promise.allSettled(waiting);
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['rejected']));
  });
});
