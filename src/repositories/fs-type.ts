/** Repositories in directories: their settings. */
import { FsBlobStore } from './fs-blob-store.js';
import { allowedDirectory } from './places.js';
import type { RepositoryType } from './settings.js';

/** The reference's. */
const CHUNK_BYTES_MIN = 5;

export const fsType: RepositoryType = {
  settings: ['location'],
  chunkBytesMin: () => CHUNK_BYTES_MIN,
  open(reader, { paths, clock }) {
    const location = reader.text('location') ?? '';
    if (location === '') {
      throw reader.refused('missing location: setting [location] names the directory of the repository');
    }
    if (location.includes('\0')) throw reader.refused('location must not contain [\\u0000]');
    const directory = allowedDirectory(location, paths);
    if (directory !== undefined) return new FsBlobStore(directory, clock);
    const allowed = paths.length === 0 ? ' because this setting is empty' : `: [${paths.join(', ')}]`;
    throw reader.refused(`location [${location}] doesn't match any of the locations specified by path.repo${allowed}`);
  },
};
