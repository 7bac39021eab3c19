/** A repository in a bucket of a store of the S3 protocol, through the AWS SDK: retries, signatures and checksums are its. */
import type { PutObjectCommandInput, S3Client } from '@aws-sdk/client-s3';
import type { Clock } from '../../base/clock.js';
import { QuarryError } from '../../base/errors.js';
import { endsEarly } from '../format.js';
import { onDemand } from '../../base/on-demand.js';
import type { BlobListing, BlobSource, BlobStore, FolderRemoval } from '../blob-store.js';
import { hasStatus, s3Error, type FailedAction } from './errors.js';
import { uploadInParts } from './multipart-upload.js';
import { fillPart } from './parts.js';
import type { S3Connection } from './s3-connection.js';
import { removeUnfinishedUploads } from './unfinished-uploads.js';

const sdk = onDemand('@aws-sdk/client-s3');

/** The protocol's, for one request. */
const REMOVED_AT_ONCE = 1_000;
/** How often the store may say that somebody else is writing the same object. */
const CONFLICTS_MAX = 5;

export interface S3Place {
  readonly bucket: string;
  /** Of the settings, for errors. */
  readonly client: string;
  /** In which all blobs lie; empty: the bucket itself. */
  readonly folder: string;
  readonly partBytes: number;
  readonly objectOptions: Pick<PutObjectCommandInput, 'ServerSideEncryption' | 'StorageClass' | 'ACL'>;
}

export class S3BlobStore implements BlobStore {
  /** False as soon as the store has refused a conditional write. */
  isConditional = true;
  readonly isListable = true;
  private readonly connection: S3Connection;
  private readonly place: S3Place;
  private readonly clock: Clock;

  constructor(connection: S3Connection, place: S3Place, clock: Clock) {
    this.connection = connection;
    this.place = place;
    this.clock = clock;
  }

  write(name: string, bytes: Uint8Array): Promise<void> {
    return this.run('write', name, async (client) => {
      await this.put(client, name, bytes);
    });
  }

  async writeNew(name: string, bytes: Uint8Array): Promise<void> {
    for (let conflicts = 0; ; conflicts++) {
      // A store that does not know conditions may overlook this one.
      if (await this.isThere(name)) throw isThereAlready(this.shown(name));
      const outcome = await this.run('write', name, (client) => this.putIfAbsent(client, name, bytes));
      if (outcome === 'written') return;
      // The library tries again when an answer is lost: what is there may be what it wrote before.
      if (outcome === 'taken' && (await this.holds(name, bytes))) return;
      if (outcome === 'taken' || conflicts === CONFLICTS_MAX) throw isThereAlready(this.shown(name));
    }
  }

  writeLarge(name: string, source: BlobSource): Promise<void> {
    const { partBytes, bucket, objectOptions } = this.place;
    return this.run('write', name, async (client) => {
      if (source.length <= partBytes) await this.put(client, name, await fillPart(source, 0, source.length));
      else await uploadInParts(client, { Bucket: bucket, Key: this.keyOf(name) }, source, partBytes, objectOptions);
    });
  }

  read(name: string, lengthMax: number): Promise<Uint8Array> {
    return this.reading(name, undefined, (length) => {
      if (length > lengthMax) throw new Error(`it has [${length}] bytes, more than [${lengthMax}]`);
    });
  }

  async readRange(name: string, offset: number, length: number): Promise<Uint8Array> {
    if (length === 0) return new Uint8Array(0);
    const bytes = await this.reading(name, `bytes=${offset}-${offset + length - 1}`, () => undefined);
    if (bytes.length === length) return bytes;
    throw endsEarly(this.keyOf(name), offset + bytes.length, offset + length);
  }

  list(folder: string): Promise<BlobListing> {
    const prefix = this.prefixOf(folder);
    return this.run('list', folder, async (client) => {
      const blobs = new Map<string, number>();
      const folders: string[] = [];
      const input = { Bucket: this.place.bucket, Prefix: prefix, Delimiter: '/' };
      for await (const page of sdk().paginateListObjectsV2({ client }, input)) {
        for (const { Key: key = '', Size: size = 0 } of page.Contents ?? []) {
          if (key.length > prefix.length) blobs.set(key.slice(prefix.length), size);
        }
        for (const { Prefix: each = '' } of page.CommonPrefixes ?? []) folders.push(each.slice(prefix.length, -1));
      }
      return { blobs: new Map([...blobs].sort(([left], [right]) => (left < right ? -1 : 1))), folders: folders.sort() };
    });
  }

  async remove(names: readonly string[]): Promise<void> {
    await this.removeKeys(names.map((name) => this.keyOf(name)));
  }

  async removeFolder(folder: string): Promise<FolderRemoval> {
    const found = await this.run('list', folder, async (client) => {
      const objects: { key: string; bytes: number }[] = [];
      const input = { Bucket: this.place.bucket, Prefix: this.prefixOf(folder) };
      for await (const page of sdk().paginateListObjectsV2({ client }, input)) {
        for (const { Key: key = '', Size: bytes = 0 } of page.Contents ?? []) objects.push({ key, bytes });
      }
      return objects;
    });
    await this.removeKeys(found.map(({ key }) => key));
    return { blobs: found.length, bytes: found.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  removeEmptyFolder(): Promise<void> {
    return Promise.resolve();
  }

  removeUnfinished(): Promise<number> {
    return this.run('list', '', (client) =>
      removeUnfinishedUploads(client, this.place.bucket, this.prefixOf(''), this.clock.nowMs()),
    );
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  private async put(
    client: S3Client,
    name: string,
    bytes: Uint8Array,
    condition: Pick<PutObjectCommandInput, 'IfNoneMatch'> = {},
  ): Promise<void> {
    const { bucket, objectOptions } = this.place;
    const { PutObjectCommand } = sdk();
    const object = { Bucket: bucket, Key: this.keyOf(name), Body: bytes };
    await client.send(new PutObjectCommand({ ...object, ...objectOptions, ...condition }));
  }

  private async putIfAbsent(
    client: S3Client,
    name: string,
    bytes: Uint8Array,
  ): Promise<'written' | 'taken' | 'contended'> {
    try {
      await this.put(client, name, bytes, this.isConditional ? { IfNoneMatch: '*' } : {});
      return 'written';
    } catch (error) {
      if (hasStatus(error, 412)) return 'taken';
      if (hasStatus(error, 409)) return 'contended';
      if (!hasStatus(error, 501) || !this.isConditional) throw error;
      this.isConditional = false;
      await this.put(client, name, bytes);
      return 'written';
    }
  }

  private async holds(name: string, bytes: Uint8Array): Promise<boolean> {
    const found = await this.read(name, bytes.length).catch(() => undefined);
    return found !== undefined && Buffer.compare(found, bytes) === 0;
  }

  private isThere(name: string): Promise<boolean> {
    return this.run('read', name, async (client) => {
      try {
        await client.send(new (sdk().HeadObjectCommand)({ Bucket: this.place.bucket, Key: this.keyOf(name) }));
        return true;
      } catch (error) {
        if (hasStatus(error, 404)) return false;
        throw error;
      }
    });
  }

  /** The library tries again until the answer begins; one that breaks off later is asked for anew. */
  private reading(name: string, range: string | undefined, check: (length: number) => void): Promise<Uint8Array> {
    return this.run('read', name, async (client) => {
      for (let tries = 0; ; tries++) {
        const object = { Bucket: this.place.bucket, Key: this.keyOf(name) };
        const { GetObjectCommand } = sdk();
        const answer = await client.send(
          new GetObjectCommand({ ...object, ...(range === undefined ? {} : { Range: range }) }),
        );
        try {
          check(answer.ContentLength ?? 0);
        } catch (error) {
          (answer.Body as { destroy?: () => void } | undefined)?.destroy?.();
          throw error;
        }
        try {
          return (await answer.Body?.transformToByteArray()) ?? new Uint8Array(0);
        } catch (error) {
          if (tries >= this.connection.retries) throw error;
        }
      }
    });
  }

  private async removeKeys(keys: readonly string[]): Promise<void> {
    const { DeleteObjectsCommand } = sdk();
    for (let at = 0; at < keys.length; at += REMOVED_AT_ONCE) {
      const objects = keys.slice(at, at + REMOVED_AT_ONCE).map((key) => ({ Key: key }));
      const [{ Key: first }] = objects as [{ Key: string }];
      await this.run('remove', first, async (client) => {
        const input = { Bucket: this.place.bucket, Delete: { Objects: objects, Quiet: true } };
        const { Errors: failures = [] } = await client.send(new DeleteObjectsCommand(input));
        const failure = failures.find(({ Code: code }) => code !== 'NoSuchKey');
        if (failure !== undefined) throw new Error(`${failure.Key}: ${failure.Code}: ${failure.Message}`);
      });
    }
  }

  private run<Result>(
    action: FailedAction,
    name: string,
    work: (client: S3Client) => Promise<Result>,
  ): Promise<Result> {
    return this.connection.run(work, (error, redact) => s3Error(action, this.shown(name), error, redact));
  }

  private shown(name: string): string {
    const { bucket, client } = this.place;
    return `blob [${this.keyOf(name)}] of bucket [${bucket}] with client [${client}]`;
  }

  private keyOf(name: string): string {
    return `${this.prefixOf('')}${name}`;
  }

  /** Of what is in the folder; empty for a bucket as a whole. */
  private prefixOf(folder: string): string {
    return [this.place.folder, folder]
      .filter((part) => part !== '')
      .map((part) => `${part}/`)
      .join('');
  }
}

function isThereAlready(shown: string): QuarryError {
  return new QuarryError('file_already_exists_exception', `${shown} is there`);
}
