import { describe, expect, it } from 'vitest';
import { Cancellation } from '../../src/base/cancellation.js';
import { QuarryError } from '../../src/base/errors.js';
import { runScripts, scriptStatistics } from '../../src/native/scripts.js';

const script = { source: 'ctx.n = params.of / ctx.n', params: '{"of":6}' };

describe('a script over documents', () => {
  it('changes each of them, and fails on each alone', async () => {
    const outcomes = await runScripts(script, 'ingest', ['{"n":2,"f":1.0}', '{"n":0}', '{"n":3}'], new Cancellation());
    expect([outcomes[0], outcomes[2]]).toEqual([{ ctx: '{"n":3,"f":1.0}' }, { ctx: '{"n":2}' }]);
    const failed = outcomes[1];
    if (failed === undefined || !('error' in failed)) throw new Error('the second one should have failed');
    expect(failed.error).toMatchObject({
      type: 'script_exception',
      message: 'runtime error',
      details: {
        script_stack: ['ctx.n = params.of / ctx.n', '        ^---- HERE'],
        script: script.source,
        lang: 'painless',
        position: { offset: 8, start: 0, end: 25 },
      },
      cause: { type: 'arithmetic_exception', message: '/ by zero' },
    });
  });

  it('answers as a condition', async () => {
    const documents = ['{"n":1}', '{"n":2}', '{}'];
    const outcomes = await runScripts({ source: 'ctx.n == 2' }, 'processor_conditional', documents, new Cancellation());
    expect(outcomes).toEqual([{ answer: false }, { answer: true }, { answer: false }]);
  });

  it('takes as many calls as it needs', async () => {
    const source = 'for (int i = 0; i < 900000; i++) { ctx.n = i }';
    const documents = Array.from({ length: 6 }, () => '{}');
    const outcomes = await runScripts({ source }, 'update_by_query', documents, new Cancellation());
    expect(outcomes).toEqual(documents.map(() => ({ ctx: '{"n":899999}' })));
  });

  it('throws what is wrong with the script, or that nobody waits', async () => {
    const run = async (source: string, cancellation = new Cancellation()): Promise<unknown> =>
      runScripts({ source }, 'reindex', ['{}'], cancellation).catch((error: unknown) => error);
    expect(await run('ctx.')).toMatchObject({ type: 'script_exception', message: 'compile error' });
    const cancelled = new Cancellation();
    cancelled.cancel();
    expect(await run('while (true) {}', cancelled)).toMatchObject({ type: 'task_cancelled_exception' });
    const before = scriptStatistics().scripts.operation_limit_triggered;
    const [endless] = await runScripts({ source: 'while (true) {}' }, 'reindex', ['{}'], new Cancellation());
    expect(endless).toMatchObject({ error: { cause: { type: 'painless_error' } } });
    expect(endless !== undefined && 'error' in endless && endless.error).toBeInstanceOf(QuarryError);
    expect(scriptStatistics().scripts.operation_limit_triggered).toBe(before + 1);
  });
});
