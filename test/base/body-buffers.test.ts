import { describe, expect, it } from 'vitest';
import { IDLE_BODY_BYTES_MAX } from '../../src/base/limits.js';
import { BodyBuffers } from '../../src/base/body-buffers.js';

describe('body buffers', () => {
  it('are shared memory, large enough, and used again', () => {
    const buffers = new BodyBuffers(2 ** 30);
    const first = buffers.take(20_000);
    expect(first.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(first.length).toBe(32_768);
    buffers.giveBack(first);
    expect(buffers.take(17_000) === first).toBe(true);
    expect(buffers.take(17_000) === first).toBe(false);
  });

  it('are not used again when somebody may still read them', () => {
    const buffers = new BodyBuffers(2 ** 30);
    const read = buffers.take(1);
    buffers.drop(read);
    expect(buffers.figures()).toMatchObject({ usedBytes: 0 });
    expect(buffers.take(1) === read).toBe(false);
  });

  it('keep only so many idle bytes', () => {
    const buffers = new BodyBuffers(2 ** 30);
    const large = buffers.take(IDLE_BODY_BYTES_MAX + 1);
    buffers.giveBack(large);
    expect(buffers.take(IDLE_BODY_BYTES_MAX + 1) === large).toBe(false);
  });
});

describe('the limit of body buffers', () => {
  it('refuses what would exceed it, and counts that', () => {
    const buffers = new BodyBuffers(64 * 1024);
    const first = buffers.take(33_000);
    expect(() => buffers.take(1)).toThrow(
      '[in_flight_requests] Data too large, data for [<http_request>] would be [81920/80kb], ' +
        'which is larger than the limit of [65536/64kb]',
    );
    buffers.giveBack(first);
    buffers.take(1);
    expect(buffers.figures()).toEqual({ limitBytes: 65_536, usedBytes: 16_384, refused: 1, takenBytes: 81_920 });
  });
});
