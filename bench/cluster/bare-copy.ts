/** What a recovery is held against: a file that is copied through a loopback socket and synced, with nothing else done. */
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

const PIECE_BYTES = 1024 * 1024;

/** Megabytes per second, until the copy is on the disk. */
export async function bareCopy(bytes: number): Promise<number> {
  const directory = await mkdtemp(path.join(tmpdir(), 'quarry-bench-copy-'));
  try {
    const source = path.join(directory, 'source');
    await fill(source, bytes);
    const startMs = performance.now();
    await copy(source, path.join(directory, 'copy'));
    return bytes / 1e6 / ((performance.now() - startMs) / 1_000);
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function fill(file: string, bytes: number): Promise<void> {
  const handle = await open(file, 'w');
  const piece = randomBytes(PIECE_BYTES);
  for (let at = 0; at < bytes; at += PIECE_BYTES) await handle.write(piece, 0, Math.min(PIECE_BYTES, bytes - at));
  await handle.sync();
  await handle.close();
}

async function copy(source: string, target: string): Promise<void> {
  const server = createServer((socket) => {
    createReadStream(source, { highWaterMark: PIECE_BYTES }).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const handle = await open(target, 'w');
  const { port } = server.address() as AddressInfo;
  await pipeline(connect(port, '127.0.0.1'), async (pieces: AsyncIterable<Buffer>) => {
    for await (const piece of pieces) await handle.write(piece);
  });
  await handle.sync();
  await handle.close();
  server.close();
}
