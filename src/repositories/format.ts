/**
 * What a repository holds beside the files of shards, as JSON with a checksum. Names of blobs:
 *
 * - `root-<N>`: the newest is the one with the greatest number, and says what the repository holds.
 * - `latest`: the number of a root that was the newest when this was written, for readers that cannot list.
 * - `snapshot-<uuid>`, `metadata-<uuid>`: one snapshot, and what it keeps of the cluster.
 * - `indices/<id>/metadata-<digest>-<uuid>`: an index as it was; snapshots of an index that did not change share one.
 * - `indices/<id>/<shard>/shard-<generation>`: the files of the shard, and which snapshot needs which of them.
 * - `indices/<id>/<shard>/segments-<uuid>`: what the snapshot's set of segments is, for whoever makes a shard of it.
 * - `indices/<id>/<shard>/file-<uuid>-<checksum>-<length>-<uuid>`: a file, named by what it holds and by the snapshot that brought
 *   it, which others share; in chunks that end in `.<number>` where the repository limits the length of a blob.
 * - `indices/<id>/<shard>/parts-<uuid>-<checksum>-<length>-<uuid>`: checksums of the parts of a file, for whoever reads only
 *   some, and the snapshot that brought them.
 *
 * Blobs never change, but for being removed. No name is used again: what somebody found useless stays useless, however late it is
 * removed. Earlier versions left out the uuid of the snapshot in names of files and metadata. A snapshot exists as soon as a root
 * names it.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { QuarryError } from '../base/errors.js';
import { isJsonObject, type JsonObject } from '../base/json-value.js';
import type { SegmentFile } from '../native/replication.js';

const FORMAT = 1;
/** Of a piece of metadata, unpacked. */
const METADATA_BYTES_MAX = 256 << 20;

/** `FAILED` is in records of earlier versions alone. */
export type SnapshotState = 'SUCCESS' | 'PARTIAL' | 'FAILED';

export const LATEST = 'latest';

export function rootBlob(generation: number): string {
  return `root-${generation}`;
}

/** Of the contents of `latest`. */
export function generationOf(value: unknown): number {
  const generation = isJsonObject(value) ? value['generation'] : undefined;
  if (typeof generation === 'number' && Number.isSafeInteger(generation) && generation >= 0) return generation;
  throw corrupt(LATEST, 'lacks some of its members');
}

/** What the root says of a snapshot: enough to list it. */
export interface RootSnapshot {
  readonly name: string;
  readonly uuid: string;
  readonly state: SnapshotState;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly indices: number;
  readonly successfulShards: number;
  readonly totalShards: number;
  /** Of the lifecycle that made it. */
  readonly policy?: string;
  /** Of OpenSearch's snapshot management, where it made it. */
  readonly smPolicy?: string;
}

export interface RootIndex {
  readonly id: string;
  readonly name: string;
  /** By uuid of a snapshot that has the index: the name of the blob of its metadata. */
  readonly snapshots: Readonly<Record<string, string>>;
  /** For each shard the newest generation; empty where no snapshot has the shard. */
  readonly shards: readonly string[];
}

export interface RepositoryRoot {
  /** -1 of a repository in which nothing was ever done. */
  readonly generation: number;
  /** Of the repository itself, whichever clusters use it. */
  readonly uuid: string;
  /** Who wrote it, and as the end of what. */
  readonly clusterUuid: string;
  readonly operation: string;
  readonly snapshots: readonly RootSnapshot[];
  readonly indices: readonly RootIndex[];
}

export interface ShardFailure {
  readonly index: string;
  readonly indexUuid: string;
  readonly shard: number;
  readonly nodeId?: string;
  readonly reason: string;
}

export interface IndexDetails {
  readonly shards: number;
  readonly bytes: number;
  readonly segmentsMax: number;
}

export interface SnapshotRecord {
  readonly name: string;
  readonly uuid: string;
  readonly state: SnapshotState;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** In order of their names. */
  readonly indices: readonly string[];
  readonly dataStreams: readonly string[];
  readonly featureStates: readonly string[];
  readonly includeGlobalState: boolean;
  readonly totalShards: number;
  readonly successfulShards: number;
  readonly failures: readonly ShardFailure[];
  readonly reason?: string;
  readonly metadata?: JsonObject;
  readonly details: Readonly<Record<string, IndexDetails>>;
}

export interface StoredFile extends SegmentFile {
  /**
   * Length of the chunks in which it lies, whatever the repository is registered with today; 0: it is in one piece. Absent of what was
   * stored before this was noted: then as the repository is registered.
   */
  readonly chunkBytes?: number;
  /** Uuid of the snapshot that brought it; absent of what was stored before names had it. */
  readonly broughtBy?: string;
  /** Absent of what was stored before there were any: it can be read as a whole only. */
  readonly parts?: FileParts;
}

/** Parts of a file that have a checksum each. */
export interface FileParts {
  /** Of each but the last. */
  readonly bytes: number;
  /** Uuid of the snapshot that brought the checksums. */
  readonly broughtBy: string;
}

/** Shorter parts than these would be fetched one by one; of more a file has too many checksums. */
const PART_BYTES_MIN = 64 << 10;
const PARTS_MAX = 16_384;

export function partBytesOf(length: number): number {
  let bytes = PART_BYTES_MIN;
  while (bytes * PARTS_MAX < length) bytes *= 2;
  return bytes;
}

/** Of one snapshot of a shard. */
export interface ShardEntry {
  readonly files: readonly StoredFile[];
  readonly startedAtMs: number;
  readonly tookMs: number;
  /** What the snapshot added to the repository. */
  readonly newFiles: number;
  readonly newBytes: number;
}

/** What the repository has of a shard, by uuid of a snapshot. */
export type ShardGeneration = Readonly<Record<string, ShardEntry>>;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

export async function encodeMetadata(kind: string, value: unknown, isPacked: boolean): Promise<Uint8Array> {
  const text = JSON.stringify({ format: FORMAT, kind, value });
  const bytes = Buffer.from(`${digestOf(text)}\n${text}`, 'utf8');
  return isPacked ? compress(bytes) : bytes;
}

/** Throws `corrupt_index_exception`, which names the blob, for anything that was not written as this kind. */
export async function decodeMetadata(kind: string, bytes: Uint8Array, blob: string): Promise<unknown> {
  const text = await unpack(bytes).catch((cause: unknown) => {
    throw corrupt(blob, 'cannot be unpacked', cause);
  });
  const end = text.indexOf('\n');
  const json = text.slice(end + 1);
  if (end === -1 || text.slice(0, end) !== digestOf(json)) throw corrupt(blob, 'does not match its checksum');
  const parsed: unknown = JSON.parse(json);
  if (!isJsonObject(parsed) || parsed['kind'] !== kind) throw corrupt(blob, `is no [${kind}]`);
  if (parsed['format'] !== FORMAT) {
    throw corrupt(blob, `has the format [${JSON.stringify(parsed['format'])}], and this version reads [${FORMAT}]`);
  }
  return parsed['value'];
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

export function corrupt(blob: string, what: string, cause?: unknown): QuarryError {
  return new QuarryError('corrupt_index_exception', `blob [${blob}] ${what}`, { cause });
}

/** It has so many bytes, and more were asked for. */
export function endsEarly(blob: string, length: number, end: number): QuarryError {
  return corrupt(blob, `ends at byte [${length}], before [${end}]`);
}

async function unpack(bytes: Uint8Array): Promise<string> {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const plain = isPacked ? await decompress(bytes, { maxOutputLength: METADATA_BYTES_MAX }) : Buffer.from(bytes);
  return plain.toString('utf8');
}
