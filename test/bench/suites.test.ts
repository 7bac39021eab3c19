/** Every bench suite runs in its small size, so that none rots; what it prints is not looked at. */
import { execFileSync, spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { suites } from '../../bench.config.js';

const SUITE_MS_MAX = 300_000;

test.each(Object.keys(suites))(
  '%s runs in its small size',
  (name) => {
    const output = execFileSync(process.execPath, ['src/setup/bench.mjs', name], {
      env: { ...process.env, QUARRY_PEERS: '/nonexistent', QUARRY_CORPORA: '/nonexistent' },
      stdio: ['ignore', 'pipe', 'inherit'],
      // The runner can not interrupt a call that waits.
      timeout: SUITE_MS_MAX,
    });
    expect(output.toString()).toMatch(/\d/);
  },
  2 * SUITE_MS_MAX,
);

test.each([
  [
    'fronst=2',
    'a bench does not take [fronst=2]: one of --full, documents=..., seconds=..., rate=..., connections=..., fronts=...',
  ],
  ['fronts=two', '[fronts] of a bench is a number, not [two]'],
])(
  'a bench refuses %s',
  (argument, sentence) => {
    const { status, stderr } = spawnSync(process.execPath, ['src/setup/bench.mjs', 'http-load', argument], {
      encoding: 'utf8',
    });
    expect(stderr).toContain(sentence);
    expect(status).toBe(1);
  },
  SUITE_MS_MAX,
);
