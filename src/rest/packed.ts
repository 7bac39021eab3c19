/** Answers are compressed for who asks for it, on a thread of zlib's. */
import { COMPRESSION_BYTES_MIN } from '../base/limits.js';
import type { WireAnswer } from './wire.js';

const LEVEL = 3;

/** Less is not worth it. */
export function isWorthPacking(body: Uint8Array): boolean {
  return body.length >= COMPRESSION_BYTES_MIN;
}

export async function packed({ status, headers, body }: WireAnswer): Promise<WireAnswer> {
  return { status, headers: [...headers, ['content-encoding', 'gzip']], body: await gzip(body) };
}

async function gzip(body: Uint8Array): Promise<Uint8Array> {
  const { gzip: compress } = await import('node:zlib');
  return new Promise((resolve, reject) => {
    compress(body, { level: LEVEL }, (error, bytes) => {
      if (error === null) resolve(bytes);
      else reject(error);
    });
  });
}
