import { describe, expect, it } from 'vitest';
import { IDLE_BODY_BYTES_MAX } from '../../src/base/limits.js';
import { BodyBuffers } from '../../src/base/body-buffers.js';

function buffersOf(limitBytes: number, onTake?: (bytes: number) => void): BodyBuffers {
  const limit = { breaker: 'inflight_requests', what: '<http_request>', limitBytes: () => limitBytes };
  return new BodyBuffers(onTake === undefined ? limit : { ...limit, onTake });
}

describe('body buffers', () => {
  it('are shared memory, large enough, and used again', () => {
    const buffers = buffersOf(2 ** 30);
    const first = buffers.take(20_000);
    expect(first.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(first.length).toBe(32_768);
    buffers.giveBack(first);
    expect(buffers.take(17_000) === first).toBe(true);
    expect(buffers.take(17_000) === first).toBe(false);
  });

  it('are not used again when somebody may still read them', () => {
    const buffers = buffersOf(2 ** 30);
    const read = buffers.take(1);
    buffers.drop(read);
    expect(buffers.figures()).toMatchObject({ usedBytes: 0 });
    expect(buffers.take(1) === read).toBe(false);
  });

  it('keep only so many idle bytes', () => {
    const buffers = buffersOf(2 ** 30);
    const large = buffers.take(IDLE_BODY_BYTES_MAX + 1);
    buffers.giveBack(large);
    expect(buffers.take(IDLE_BODY_BYTES_MAX + 1) === large).toBe(false);
  });
});

describe('the limit of body buffers', () => {
  it('refuses what would exceed it, and counts that', () => {
    const buffers = buffersOf(64 * 1024);
    const first = buffers.take(33_000);
    expect(() => buffers.take(1)).toThrow(
      '[inflight_requests] Data too large, data for [<http_request>] would be [81920/80kb], ' +
        'which is larger than the limit of [65536/64kb]',
    );
    buffers.giveBack(first);
    buffers.take(1);
    expect(buffers.figures()).toEqual({ limitBytes: 65_536, usedBytes: 16_384, refused: 1, takenBytes: 81_920 });
  });

  it('holds to the last byte, and tells how long the refusal will last', () => {
    const exact = buffersOf(32 * 1024);
    exact.take(32 * 1024);
    expect(() => exact.take(1)).toThrow(
      expect.objectContaining({
        type: 'circuit_breaking_exception',
        status: 429,
        details: { bytes_wanted: 49_152, bytes_limit: 32_768, durability: 'TRANSIENT' },
      }),
    );
    expect(() => buffersOf(32 * 1024 - 1).take(32 * 1024)).toThrow(
      '[32768/32kb], which is larger than the limit of [32767/31.9kb]',
    );
  });

  it('leaves room for those who must be heard, to the last byte', () => {
    const full = buffersOf(0);
    full.take(1, 16 * 1024);
    expect(() => full.take(1, 16 * 1024)).toThrow('[inflight_requests] Data too large');
  });

  it('asks for memory only where there is room', () => {
    const asked: number[] = [];
    const buffers = buffersOf(16 * 1024, (bytes) => void asked.push(bytes));
    buffers.take(1);
    expect(() => buffers.take(1)).toThrow('Data too large');
    expect(asked).toEqual([16 * 1024]);
  });
});
