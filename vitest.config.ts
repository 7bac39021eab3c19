import { defineConfig } from 'vitest/config';
import { SlowFirst } from './test/slow-first.js';

export default defineConfig({
  test: {
    globalSetup: ['src/setup/before-tests.mjs'],
    include: ['test/**/*.test.ts'],
    // Tests start real nodes with worker threads of their own, but those that take longest wait half of the time for timeouts:
    // a file more than a small machine has processors.
    maxWorkers: 3,
    sequence: { sequencer: SlowFirst },
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
