/** Uploads in parts that a crash left behind: nobody sees them, but they are kept, and paid for. */
import type { S3Client } from '@aws-sdk/client-s3';
import { onDemand } from '../../base/on-demand.js';

const sdk = onDemand('@aws-sdk/client-s3');

/** Of others that write below the same path, such as another repository there, none takes so long. */
const AGE_MS = 24 * 3_600_000;
/** Pages of a thousand. What is beyond goes the next time. */
const PAGES_MAX = 100;

/** How many were ended. */
export async function removeUnfinishedUploads(
  client: S3Client,
  bucket: string,
  prefix: string,
  nowMs: number,
): Promise<number> {
  const { AbortMultipartUploadCommand, ListMultipartUploadsCommand } = sdk();
  let ended = 0;
  let marker: { KeyMarker?: string; UploadIdMarker?: string } = {};
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const page = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, ...marker }));
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Initiated === undefined || nowMs - Initiated.getTime() < AGE_MS) continue;
      await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }));
      ended++;
    }
    const { NextKeyMarker: key, NextUploadIdMarker: upload } = page;
    if (page.IsTruncated !== true || key === undefined) break;
    marker = { KeyMarker: key, ...(upload === undefined ? {} : { UploadIdMarker: upload }) };
  }
  return ended;
}
