/** A blob of several parts: it is there when the last request was answered, and leaves nothing when it fails. */
import type { CompletedPart, PutObjectCommandInput, S3Client } from '@aws-sdk/client-s3';
import { onDemand } from '../../base/on-demand.js';
import type { BlobSource } from '../blob-store.js';
import { hasStatus } from './errors.js';
import { fillPart } from './parts.js';

const sdk = onDemand('@aws-sdk/client-s3');

interface ObjectName {
  readonly Bucket: string;
  readonly Key: string;
}

/** One part is read while the one before it is sent: two are in memory. */
export async function uploadInParts(
  client: S3Client,
  object: ObjectName,
  source: BlobSource,
  partBytes: number,
  options: Pick<PutObjectCommandInput, 'ServerSideEncryption' | 'StorageClass' | 'ACL'>,
): Promise<void> {
  const { AbortMultipartUploadCommand, CreateMultipartUploadCommand } = sdk();
  const begun = await client.send(
    new CreateMultipartUploadCommand({ ...object, ...options, ChecksumAlgorithm: 'CRC32' }),
  );
  const upload = { ...object, UploadId: begun.UploadId };
  try {
    const parts = await sendParts(client, upload, source, partBytes);
    await complete(client, upload, parts, source.length);
  } catch (error) {
    // One that stays is found by its age, see `unfinished-uploads.ts`.
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
    throw error;
  }
}

async function sendParts(
  client: S3Client,
  upload: ObjectName & { readonly UploadId: string | undefined },
  source: BlobSource,
  partBytes: number,
): Promise<readonly CompletedPart[]> {
  const { UploadPartCommand } = sdk();
  const partAt = (offset: number): Promise<Uint8Array> =>
    fillPart(source, offset, Math.min(partBytes, source.length - offset));
  const parts: CompletedPart[] = [];
  let ahead: Promise<Uint8Array> | undefined = partAt(0);
  for (let offset = 0; ahead !== undefined;) {
    const bytes: Uint8Array = await ahead;
    const next = offset + bytes.length;
    ahead = next < source.length ? partAt(next) : undefined;
    // Whoever fails first tells of it.
    ahead?.catch(() => undefined);
    const number = parts.length + 1;
    const sent = await client.send(
      new UploadPartCommand({ ...upload, PartNumber: number, Body: bytes, ChecksumAlgorithm: 'CRC32' }),
    );
    parts.push({ PartNumber: number, ETag: sent.ETag, ChecksumCRC32: sent.ChecksumCRC32 });
    offset = next;
  }
  return parts;
}

async function complete(
  client: S3Client,
  upload: ObjectName & { readonly UploadId: string | undefined },
  parts: readonly CompletedPart[],
  length: number,
): Promise<void> {
  const { CompleteMultipartUploadCommand, HeadObjectCommand } = sdk();
  try {
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: [...parts] } }));
  } catch (error) {
    if (!hasStatus(error, 404)) throw error;
    // The library tried again because an answer was lost: the first try may have completed it.
    const { Bucket, Key } = upload;
    const found = await client.send(new HeadObjectCommand({ Bucket, Key })).catch(() => undefined);
    if (found?.ContentLength !== length) throw error;
  }
}
