/** Repositories in a bucket of a store of the S3 protocol: their settings. */
import { DEFAULT_S3_CLIENT } from '../../base/s3-client-settings.js';
import { formatBytes } from '../../base/units.js';
import { DeferredStore } from '../deferred-store.js';
import type { SettingReader } from '../setting-reader.js';
import type { RepositoryType } from '../settings.js';
import type { S3Place } from './s3-blob-store.js';

const MEGABYTE = 1 << 20;
/** Limits of the protocol. */
const PART_BYTES_MIN = 5 * MEGABYTE;
const PART_BYTES_MAX = 5 * 1024 * MEGABYTE;
const PARTS_MAX = 10_000;
const BLOB_BYTES_MAX = 5 * 1024 * 1024 * MEGABYTE;
/** Parts are held in memory while they are sent, two of each file that is copied. */
const PART_BYTES = '16mb';
const PART_BYTES_HELD_MAX = 256 * MEGABYTE;

/** Those from which objects can be read at once. */
const STORAGE_CLASSES = [
  ...(['standard', 'reduced_redundancy', 'standard_ia', 'onezone_ia', 'intelligent_tiering'] as const),
];
const CANNED_ACLS = [
  ...(['private', 'public-read', 'public-read-write', 'authenticated-read'] as const),
  ...(['bucket-owner-read', 'bucket-owner-full-control'] as const),
];

export const s3Type: RepositoryType = {
  settings: ['bucket', 'base_path', 'client', 'buffer_size', 'server_side_encryption', 'storage_class', 'canned_acl'],
  // One in a single part is no shorter than that part, where somebody said how long parts are.
  chunkBytesMin: (reader) => (reader.text('buffer_size') === undefined ? PART_BYTES_MIN : partBytesOf(reader)),
  chunkBytesMax: (reader) => Math.min(partBytesOf(reader) * PARTS_MAX, BLOB_BYTES_MAX),
  open(reader, { s3Clients, secureSettings, clock }) {
    const client = reader.text('client') ?? 'default';
    if (!/^[\w-]+$/.test(client))
      throw reader.refused(`[${client}] is no name of a client: letters, digits, [_] and [-]`);
    const settings = Object.hasOwn(s3Clients, client) ? s3Clients[client] : undefined;
    const place = placeOf(reader, client);
    return new DeferredStore(true, async () => {
      const { S3BlobStore } = await import('./s3-blob-store.js');
      const { S3Connection } = await import('./s3-connection.js');
      const connection = new S3Connection(client, place.bucket, settings ?? DEFAULT_S3_CLIENT, secureSettings);
      return new S3BlobStore(connection, place, clock);
    });
  },
};

function placeOf(reader: SettingReader, client: string): S3Place {
  const bucket = reader.text('bucket') ?? '';
  if (bucket === '') throw reader.refused('No bucket defined for s3 repository: setting [bucket] names it');
  if (!/^[a-zA-Z0-9][\w.-]{1,254}$/.test(bucket)) throw reader.refused(`[${bucket}] is no name of a bucket`);
  const storageClass = reader.oneOf('storage_class', STORAGE_CLASSES);
  const acl = reader.oneOf('canned_acl', CANNED_ACLS);
  return {
    bucket,
    client,
    folder: folderOf(reader),
    partBytes: partBytesOf(reader),
    objectOptions: {
      ...(reader.flag('server_side_encryption', false) ? { ServerSideEncryption: 'AES256' as const } : {}),
      ...(storageClass === undefined ? {} : { StorageClass: upperCase(storageClass) }),
      ...(acl === undefined ? {} : { ACL: acl }),
    },
  };
}

function upperCase<Text extends string>(text: Text): Uppercase<Text> {
  return text.toUpperCase() as Uppercase<Text>;
}

function folderOf(reader: SettingReader): string {
  const path = (reader.text('base_path') ?? '').replace(/\/$/, '');
  const isSound =
    path === '' || path.split('/').every((part) => /^[^\p{Cc}/\\]+$/u.test(part) && part !== '.' && part !== '..');
  if (isSound && path.length <= 500) return path;
  throw reader.refused(
    `setting [base_path] is [${path}] and must be a path such as [a/b], without a slash at its beginning`,
  );
}

function partBytesOf(reader: SettingReader): number {
  const bytes = reader.bytes('buffer_size', PART_BYTES);
  const most = Math.min(PART_BYTES_MAX, PART_BYTES_HELD_MAX);
  if (bytes >= PART_BYTES_MIN && bytes <= most) return bytes;
  throw reader.refused(
    `setting [buffer_size] is [${formatBytes(bytes)}] and must be of [${formatBytes(PART_BYTES_MIN)}] to [${formatBytes(most)}]`,
  );
}
