/** Files of format version 1 as the native side wrote them (`fixtures/format-1`); the native tests open the same ones. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readCommitDescription } from '../../src/segment/commit-file.js';
import { crc32c } from '../../src/segment/crc32c.js';
import { readSegmentDescription } from '../../src/segment/segment-file.js';

const kept = (name: string): Uint8Array =>
  readFileSync(fileURLToPath(new URL(`fixtures/format-1/${name}`, import.meta.url)));

/** One bit flipped, or the file cut there; every `step` bytes. */
function* damaged(bytes: Uint8Array, from: number, to: number, step: number): Generator<Uint8Array> {
  for (let place = from; place < to; place += step) {
    const flipped = Uint8Array.from(bytes);
    flipped[place] = (flipped[place] ?? 0) ^ (1 << (place % 8));
    yield flipped;
    yield bytes.slice(0, place);
  }
}

describe('crc32c', () => {
  it('gives the published check value', () => {
    expect(crc32c(Buffer.from('123456789'))).toBe(0xe3069283);
  });
});

describe('segment file', () => {
  it('describes fields and sections, whose checksums hold', () => {
    const bytes = kept('_1.seg');
    const segment = readSegmentDescription(bytes, '_1.seg');
    expect(segment).toMatchObject({
      name: '_1',
      uuid: '02'.repeat(16),
      formatVersion: 1,
      maxDoc: 20,
      storedCodec: 'default',
      minSeqNo: 0n,
      maxSeqNo: 38n,
    });
    expect(segment.fields.map(({ name, kind }) => [name, kind])).toEqual([
      ['body', 'text'],
      ['hidden', 'term'],
      ['number', 'number'],
      ['tag', 'term'],
    ]);
    expect(segment.sections.filter(({ field }) => field === 'body').map(({ kind }) => kind)).toEqual([
      'Dictionary',
      'Postings',
      'Positions',
      'Norms',
      'Presence',
    ]);
    for (const section of segment.sections) {
      expect(crc32c(bytes.subarray(section.offset, section.offset + section.length))).toBe(section.crc32c);
    }
  });

  it('reports damage of header, metadata and footer with the name of the file', () => {
    const bytes = kept('_1.seg');
    const sections = readSegmentDescription(bytes, '_1.seg').sections;
    const end = Math.max(...sections.map(({ offset, length }) => offset + length));
    const metadata = Math.ceil(end / 64) * 64;
    const places = [...damaged(bytes, 0, 52, 1), ...damaged(bytes, metadata, bytes.length - 96, 11)];
    for (const wrong of [...places, ...damaged(bytes, bytes.length - 64, bytes.length, 1)]) {
      expect(() => readSegmentDescription(wrong, '_1.seg')).toThrow(/^\[_1\.seg\]: /);
    }
  });
});

describe('commit point', () => {
  it('names the segments and how far the operations go', () => {
    const commit = readCommitDescription(kept('commit_3'), 'commit_3');
    expect(commit).toMatchObject({ generation: 3n, maxSeqNo: 500n, historyUuid: 'history', userData: {} });
    expect(commit.segments.map(({ name, maxDoc, deletedCount }) => [name, maxDoc, deletedCount])).toEqual([
      ['_0', 20, 0],
      ['_1', 20, 4],
    ]);
    expect(commit.segments.map(({ bytes }) => bytes)).toEqual([kept('_0.seg').length, kept('_1.seg').length]);
  });

  it('reports every damage with the name of the file', () => {
    const bytes = kept('commit_3');
    for (const wrong of damaged(bytes, 0, bytes.length, 1)) {
      expect(() => readCommitDescription(wrong, 'commit_3')).toThrow(/^\[commit_3\]: /);
    }
  });
});
