import { describe, expect, it } from 'vitest';
import { IDLE_BODY_BYTES_MAX } from '../../src/base/limits.js';
import { BodyBuffers } from '../../src/http/body-buffers.js';
import { CancellationWords } from '../../src/http/cancellation-words.js';

describe('body buffers', () => {
  it('are shared memory, large enough, and used again', () => {
    const buffers = new BodyBuffers();
    const first = buffers.take(20_000);
    expect(first.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(first.length).toBe(32_768);
    buffers.giveBack(first);
    expect(buffers.take(17_000) === first).toBe(true);
    expect(buffers.take(17_000) === first).toBe(false);
  });

  it('keep only so many idle bytes', () => {
    const buffers = new BodyBuffers();
    const large = buffers.take(IDLE_BODY_BYTES_MAX + 1);
    buffers.giveBack(large);
    expect(buffers.take(IDLE_BODY_BYTES_MAX + 1) === large).toBe(false);
  });
});

describe('cancellation words', () => {
  it('are clear when they are taken again', () => {
    const words = new CancellationWords();
    const word = words.take();
    word.cancel();
    expect(word.isCancelled).toBe(true);
    expect(() => {
      word.throwIfCancelled();
    }).toThrow('task cancelled');
    words.giveBack(word);
    expect(words.take()).toBe(word);
    expect(word.isCancelled).toBe(false);
  });
});
