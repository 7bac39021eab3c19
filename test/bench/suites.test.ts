/** Every bench suite runs in its small size, so that none rots; what it prints is not looked at. */
import { execFileSync } from 'node:child_process';
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
