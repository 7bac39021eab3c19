import { describe, expect, it } from 'vitest';
import { QuarryError } from '../../src/base/errors.js';
import { systemClock } from '../../src/base/clock.js';
import { Mailbox, type MailHandler, type MailOrder } from '../../src/workers/mailbox.js';
import { MessageTurns } from '../../src/workers/message-turns.js';
import { newChannel } from '../../src/workers/threads.js';

function pair(left: MailHandler, right: MailHandler): readonly [Mailbox, Mailbox] {
  const [near, far] = newChannel();
  const order: MailOrder = { turns: new MessageTurns(systemClock), laneOf: () => 'messages' };
  return [new Mailbox(near, 'right', left, order), new Mailbox(far, 'left', right, order)];
}

describe('mailbox', () => {
  it('answers calls from both sides, in any order', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const [left, right] = pair(
      (message) => `left ${String(message)}`,
      async (message) => {
        if (message === 'slow') await held;
        return `right ${String(message)}`;
      },
    );
    const slow = left.call('slow');
    expect(await left.call('quick')).toBe('right quick');
    expect(await right.call('back')).toBe('left back');
    release();
    expect(await slow).toBe('right slow');
    left.close();
  });

  it('keeps type, status, details and causes of errors', async () => {
    const cause = new QuarryError('parsing_exception', 'inner');
    const thrown = new QuarryError('search_phase_execution_exception', 'outer', {
      details: { index: 'i', shard: 3 },
      cause,
      rootCauses: [cause],
      status: 404,
    });
    const [left] = pair(
      () => undefined,
      () => {
        throw thrown;
      },
    );
    const error = await left.call('x').catch((caught: unknown) => caught as QuarryError);
    expect(error).toBeInstanceOf(QuarryError);
    expect(error).toMatchObject({
      type: 'search_phase_execution_exception',
      message: 'outer',
      status: 404,
      details: { index: 'i', shard: 3 },
      cause: { type: 'parsing_exception', message: 'inner' },
      rootCauses: [{ type: 'parsing_exception' }],
    });
    left.close();
  });

  it('fails calls whose other side is gone', async () => {
    const [left, right] = pair(
      () => undefined,
      () => new Promise(() => undefined),
    );
    const waiting = left.call('never');
    right.close();
    await expect(waiting).rejects.toMatchObject({ type: 'unavailable_shards_exception' });
    await expect(left.call('late')).rejects.toMatchObject({ message: '[right] is not available' });
  });
});
