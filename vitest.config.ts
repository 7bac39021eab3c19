import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['src/setup/before-tests.mjs'],
    include: ['test/**/*.test.ts'],
    // Tests start real nodes with worker threads of their own: more than two files at a time only slows a small machine.
    maxWorkers: 2,
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
