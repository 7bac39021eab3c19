/** Answers as they go over the wire. */
import { expect, it } from 'vitest';
import { COMPRESSION_BYTES_MIN } from '../../src/base/limits.js';
import type { RestAnswer } from '../../src/rest/answer.js';
import { present } from '../../src/rest/present.js';

const POOLED = Buffer.from('{"name":"n"}');

const answers: Readonly<Record<string, RestAnswer>> = {
  long: { kind: 'value', status: 200, value: 'a long text '.repeat(COMPRESSION_BYTES_MIN) },
  text: { kind: 'text', status: 200, text: 'health status' },
  value: { kind: 'value', status: 200, value: { name: 'n' } },
  chunk: { kind: 'json', status: 200, chunks: [POOLED] },
};

it.each([
  ['json', false],
  ['yaml', false],
  ['cbor', false],
  ['json', true],
] as const)('bodies keep no memory but their own: %s, compressed: %s', async (format, gzip) => {
  // So short that buffers of it are pieces of the pool that they share.
  expect(POOLED.buffer.byteLength).toBeGreaterThan(POOLED.byteLength);
  const presentation = { format, pretty: false, human: false, filterPath: [], errorTrace: false };
  const choice = { presentation, mediaType: undefined, gzip, typed: false };
  for (const [kind, answer] of Object.entries(answers)) {
    const { body } = await present(answer, choice);
    expect(body.byteLength, kind).toBeGreaterThan(0);
    expect(body.buffer.byteLength, kind).toBe(body.byteLength);
  }
});
