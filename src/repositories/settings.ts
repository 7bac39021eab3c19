/** What a repository may be registered with: its types, and the settings that all of them have. */
import { formatBytes } from '../base/units.js';
import type { BlobStore } from './blob-store.js';
import { fsType } from './fs-type.js';
import type { RepositoryPlaces } from './places.js';
import type { RepositoryOptions } from './repository.js';
import { s3Type } from './s3/type.js';
import { urlType } from './url/type.js';
import { SettingReader, type RepositoryDefinition } from './setting-reader.js';

/** A kind of store. */
export interface RepositoryType {
  /** Beside those that all have. */
  readonly settings: readonly string[];
  /** Throws for what no store can be made of. */
  open(reader: SettingReader, places: RepositoryPlaces): BlobStore;
  /** Least `chunk_size` with which one is registered; those that were registered with less before go on. */
  readonly chunkBytesMin?: (reader: SettingReader) => number;
  /** Of a blob, where the store has a limit of its own. */
  readonly chunkBytesMax?: (reader: SettingReader) => number;
  readonly isReadOnly?: boolean;
}

const COMMON = [
  'chunk_size',
  'compress',
  'max_number_of_snapshots',
  'max_restore_bytes_per_sec',
  'max_snapshot_bytes_per_sec',
  'readonly',
];
export const REPOSITORY_TYPES: Readonly<Record<string, RepositoryType>> = {
  fs: fsType,
  s3: s3Type,
  url: urlType,
};
/** The reference has them; their libraries are not here. What may do instead, where something may. */
const ALTERNATIVES: Readonly<Record<string, string>> = {
  azure: ': a gateway that speaks the protocol of S3 can be registered as type [s3], a mounted file share as [fs]',
  gcs: ': Google Cloud Storage has an endpoint of the protocol of S3, which can be registered as type [s3]',
  hdfs: '',
  source: '',
};
export const ABSENT_REPOSITORY_TYPES: readonly string[] = Object.keys(ALTERNATIVES);
const SNAPSHOTS_MAX = 500;
const SNAPSHOTS_MAX_MAX = 1_000_000;
const SNAPSHOT_RATE = '40mb';

/** Throws `repository_exception`, as a mistake of whoever asked, for what no repository can be made of. */
export function checkDefinition(definition: RepositoryDefinition, places: RepositoryPlaces): void {
  const reader = new SettingReader(definition);
  const known = typeOf(definition, reader);
  const unknown = [...definition.settings.keys()].find((key) => !known.settings.includes(key) && !COMMON.includes(key));
  if (unknown !== undefined) {
    throw reader.refused(`unknown setting [${unknown}] of a repository of type [${definition.type}]`);
  }
  repositoryOptions(definition);
  checkChunks(reader, known);
  void known.open(reader, places).close();
}

export function repositoryOptions(definition: RepositoryDefinition): RepositoryOptions {
  const reader = new SettingReader(definition);
  const type = typeOf(definition, reader);
  const isReadOnly = reader.flag('readonly', type.isReadOnly === true);
  if (type.isReadOnly === true && !isReadOnly) {
    throw reader.refused(
      `setting [readonly] cannot be [false]: a repository of type [${definition.type}] is only read`,
    );
  }
  return {
    isCompressed: reader.flag('compress', true),
    chunkBytes: chunkBytesOf(reader, type),
    isReadOnly,
    snapshotBytesPerSecond: Math.max(0, reader.bytes('max_snapshot_bytes_per_sec', SNAPSHOT_RATE)),
    restoreBytesPerSecond: Math.max(0, reader.bytes('max_restore_bytes_per_sec', '0')),
    snapshotsMax: reader.count('max_number_of_snapshots', SNAPSHOTS_MAX, 1, SNAPSHOTS_MAX_MAX),
  };
}

export function openStore(definition: RepositoryDefinition, places: RepositoryPlaces): BlobStore {
  const reader = new SettingReader(definition);
  return typeOf(definition, reader).open(reader, places);
}

function checkChunks(reader: SettingReader, { chunkBytesMin }: RepositoryType): void {
  const given = reader.text('chunk_size');
  const least = chunkBytesMin?.(reader) ?? 0;
  if (given === undefined || reader.bytes('chunk_size', '') >= least) return;
  throw reader.refused(`failed to parse value [${given}] for setting [chunk_size], must be >= [${formatBytes(least)}]`);
}

function chunkBytesOf(reader: SettingReader, { chunkBytesMax }: RepositoryType): number | undefined {
  const most = chunkBytesMax?.(reader);
  if (reader.text('chunk_size') === undefined) return most;
  const chunk = reader.bytes('chunk_size', '');
  if (chunk <= 0) throw reader.refused('setting [chunk_size] must be greater than [0b]');
  if (most === undefined || chunk <= most) return chunk;
  throw reader.refused(`setting [chunk_size] is [${chunk}b], and the store takes blobs of at most [${most}b]`);
}

function typeOf({ type }: RepositoryDefinition, reader: SettingReader): RepositoryType {
  const known = Object.hasOwn(REPOSITORY_TYPES, type) ? REPOSITORY_TYPES[type] : undefined;
  if (known !== undefined) return known;
  const alternative = Object.hasOwn(ALTERNATIVES, type) ? ALTERNATIVES[type] : undefined;
  const what = alternative === undefined ? 'does not exist' : `is not supported${alternative}`;
  throw reader.refused(
    `repository type [${type}] ${what}; it may be one of [${Object.keys(REPOSITORY_TYPES).join(', ')}]`,
  );
}
