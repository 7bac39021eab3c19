import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync, appendFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { RollingFile } from '../../src/store/rolling-file.js';

const DAY_MS = 24 * 60 * 60 * 1_000;
let nowMs = Date.parse('2026-03-01T12:00:00Z');
let directory = '';

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'quarry-rolling-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function rolling(fileBytesMax: number, fileCountMax: number, totalBytesMax = 1 << 30): RollingFile {
  const clock = { ...systemClock, nowMs: () => nowMs };
  const onError = (error: Error): void => expect.unreachable(error.message);
  return new RollingFile(
    { directory, name: 'log', fileBytesMax, fileCountMax, totalBytesMax, clock, onError },
    (first) => {
      let file = first;
      return {
        write: (line) => {
          appendFileSync(file, line);
          return true;
        },
        reopen: (next) => (file = next),
      };
    },
  );
}

const files = (): string[] => readdirSync(directory).sort();
const text = (file: string): string => readFileSync(path.join(directory, file), 'utf8');

describe('a rolling file', () => {
  it('begins a new file when one is full, and never splits a line', () => {
    const file = rolling(10, 100);
    for (const line of ['12345678\n', 'ab\n', 'a line of more than ten bytes\n', 'äöü\n', 'x\n']) file.write(line);
    expect(files().map(text)).toEqual(['12345678\n', 'ab\n', 'a line of more than ten bytes\n', 'äöü\nx\n']);
  });

  it('begins a new file each day', () => {
    const file = rolling(1_000, 100);
    file.write('first\n');
    nowMs += DAY_MS;
    file.write('second\n');
    expect(files()).toEqual(['log.2026-03-01.1.log', 'log.2026-03-02.1.log']);
  });

  it('goes on with the newest file of today, and counts what is in it', () => {
    nowMs = Date.parse('2026-03-05T00:00:00Z');
    for (const number of [1, 9, 10]) writeFileSync(path.join(directory, `log.2026-03-05.${number}.log`), '12345\n');
    const file = rolling(10, 100);
    file.write('67\n');
    file.write('89\n');
    expect(text('log.2026-03-05.10.log')).toBe('12345\n67\n');
    expect(text('log.2026-03-05.11.log')).toBe('89\n');
  });

  it.each([
    [30, ['log.2026-03-04.2.log', 'log.2026-03-05.1.log']],
    [29, ['log.2026-03-05.1.log']],
  ])('keeps [%i] bytes at most of all files, the newest', async (total, kept) => {
    nowMs = Date.parse('2026-03-05T00:00:00Z');
    for (const name of ['log.2026-03-03.1.log', 'log.2026-03-04.1.log']) {
      writeFileSync(path.join(directory, name), '1\n');
    }
    writeFileSync(path.join(directory, 'log.2026-03-04.2.log'), '1'.repeat(20));
    const file = rolling(10, 100, total);
    file.write('today\n');
    await vi.waitFor(() => {
      expect(files()).toEqual(kept);
    });
  });

  it('removes its oldest files and nothing else', async () => {
    nowMs = Date.parse('2026-03-05T00:00:00Z');
    const others = ['log.2026-03-04.01.log', 'other.2026-03-01.1.log', 'log.txt'];
    for (const name of [...others, 'log.2026-03-04.9.log', 'log.2026-03-04.10.log', 'log.2025-12-31.11.log'])
      writeFileSync(path.join(directory, name), '');
    const file = rolling(10, 2);
    file.write('today\n');
    const kept = [...others, 'log.2026-03-04.10.log', 'log.2026-03-05.1.log'].sort();
    await vi.waitFor(() => {
      expect(files()).toEqual(kept);
    });
  });
});
