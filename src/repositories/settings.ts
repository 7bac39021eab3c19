/** What a repository may be registered with: its types, and their settings. */
import { isAbsolute, join, normalize, sep } from 'node:path';
import { QuarryError } from '../base/errors.js';
import { parseBytes } from '../base/units.js';
import type { BlobStore } from './blob-store.js';
import { FsBlobStore } from './fs-blob-store.js';
import type { RepositoryOptions } from './repository.js';

/** As they were given, without a prefix. */
export type RepositorySettings = ReadonlyMap<string, string | readonly string[]>;

export interface RepositoryDefinition {
  readonly name: string;
  readonly type: string;
  readonly settings: RepositorySettings;
}

/** What a node is configured with. */
export interface RepositoryPlaces {
  /** `path.repo`: directories in or below which repositories may lie. */
  readonly paths: readonly string[];
}

const COMMON = [
  'chunk_size',
  'compress',
  'max_number_of_snapshots',
  'max_restore_bytes_per_sec',
  'max_snapshot_bytes_per_sec',
  'readonly',
];
const OF_TYPE: Readonly<Record<string, readonly string[]>> = { fs: ['location'] };
const SNAPSHOTS_MAX = 500;
const SNAPSHOT_RATE = '40mb';

/** Throws `repository_exception`, as a mistake of whoever asked, for what no repository can be made of. */
export function checkDefinition(definition: RepositoryDefinition, places: RepositoryPlaces): void {
  const { name, type, settings } = definition;
  const known = OF_TYPE[type];
  if (known === undefined) {
    throw refused(
      name,
      `repository type [${type}] does not exist; it may be one of [${Object.keys(OF_TYPE).join(', ')}]`,
    );
  }
  const unknown = [...settings.keys()].find((key) => !known.includes(key) && !COMMON.includes(key));
  if (unknown !== undefined) throw refused(name, `unknown setting [${unknown}] of a repository of type [${type}]`);
  repositoryOptions(definition);
  if (type === 'fs') locationOf(definition, places);
}

export function repositoryOptions({ name, settings }: RepositoryDefinition): RepositoryOptions {
  const text = (key: string, fallback: string): string => {
    const value = settings.get(key) ?? fallback;
    if (typeof value === 'string') return value;
    throw refused(name, `setting [${key}] takes one value`);
  };
  const flag = (key: string, fallback: 'true' | 'false'): boolean => {
    const value = text(key, fallback);
    if (value === 'true' || value === 'false') return value === 'true';
    throw refused(name, `failed to parse value [${value}] of setting [${key}] as [true] or [false]`);
  };
  const bytes = (key: string, fallback: string): number => {
    const value = text(key, fallback);
    try {
      return parseBytes(value, key);
    } catch (cause) {
      throw refused(name, cause instanceof Error ? cause.message : String(cause));
    }
  };
  const chunk = settings.has('chunk_size') ? bytes('chunk_size', '') : undefined;
  if (chunk !== undefined && chunk <= 0) throw refused(name, 'setting [chunk_size] must be greater than [0b]');
  const snapshots = Number(text('max_number_of_snapshots', String(SNAPSHOTS_MAX)));
  if (!Number.isSafeInteger(snapshots) || snapshots < 1)
    throw refused(name, 'setting [max_number_of_snapshots] must be a whole number of at least [1]');
  return {
    isCompressed: flag('compress', 'true'),
    chunkBytes: chunk,
    isReadOnly: flag('readonly', 'false'),
    snapshotBytesPerSecond: Math.max(0, bytes('max_snapshot_bytes_per_sec', SNAPSHOT_RATE)),
    restoreBytesPerSecond: Math.max(0, bytes('max_restore_bytes_per_sec', '0')),
    snapshotsMax: snapshots,
  };
}

export function openStore(definition: RepositoryDefinition, places: RepositoryPlaces): BlobStore {
  if (definition.type === 'fs') return new FsBlobStore(locationOf(definition, places));
  throw refused(definition.name, `repository type [${definition.type}] does not exist`);
}

/** Absolute, in or below one of the allowed directories; a relative one is looked for below the first. */
function locationOf({ name, settings }: RepositoryDefinition, { paths }: RepositoryPlaces): string {
  const location = settings.get('location');
  if (typeof location !== 'string' || location === '') {
    throw refused(name, 'missing location: setting [location] names the directory of the repository');
  }
  const [first] = paths;
  if (first === undefined) {
    throw refused(
      name,
      `location [${location}] doesn't match any of the locations specified by path.repo because this setting is empty`,
    );
  }
  const path = normalize(isAbsolute(location) ? location : join(first, location));
  const isAllowed = paths.some(
    (allowed) => path === allowed || path.startsWith(allowed.endsWith(sep) ? allowed : allowed + sep),
  );
  if (isAllowed) return path;
  throw refused(
    name,
    `location [${location}] doesn't match any of the locations specified by path.repo: [${paths.join(', ')}]`,
  );
}

function refused(name: string, why: string): QuarryError {
  return new QuarryError('repository_exception', `[${name}] ${why}`, { status: 400 });
}
