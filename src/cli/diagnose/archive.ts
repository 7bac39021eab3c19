/** Files in one archive, `tar.gz`. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { CollectedFile } from './collect.js';

/** Only its owner may read it. */
const MODE = 0o600;

/** In a folder of this name. Refuses to write over a file. */
export async function writeArchive(
  path: string,
  folder: string,
  files: readonly CollectedFile[],
  nowMs: number,
): Promise<void> {
  const { pack } = await import('tar-stream');
  const tar = pack();
  for (const { name, contents } of files) {
    tar.entry({ name: `${folder}/${name}`, mode: MODE, mtime: new Date(nowMs) }, contents);
  }
  tar.finalize();
  await pipeline(tar, createGzip(), createWriteStream(path, { flags: 'wx', mode: MODE }));
}
