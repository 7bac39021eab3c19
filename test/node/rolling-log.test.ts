import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { RollingLog, WAITING_BYTES_MAX } from '../../src/node/logging/rolling-log.js';

it('keeps so much for a disk that is slow, and drops and counts the rest', async () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'quarry-rolling-'));
  const sizes = { fileBytesMax: 1 << 30, fileCountMax: 2, totalBytesMax: 2 ** 31 };
  const log = await RollingLog.open({ directory, name: 'test', what: 'a test', ...sizes, onError: () => undefined });
  const line = `${'x'.repeat(1024 * 1024 - 1)}\n`;
  // Nothing reaches the disk before this turn ends.
  for (let written = 0; written < WAITING_BYTES_MAX; written += line.length) log.write(line);
  expect(log.dropped).toBe(0);
  log.write('one more\n');
  expect(log.dropped).toBe(1);
  await log.close();
  const [file = ''] = readdirSync(directory);
  expect(statSync(path.join(directory, file)).size).toBe(WAITING_BYTES_MAX);
  rmSync(directory, { recursive: true });
});
