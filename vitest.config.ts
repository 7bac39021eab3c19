import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests start real nodes with worker threads of their own: more than two files at a time only slows a small machine.
    maxWorkers: 2,
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Tests of crashes and overload wait for real processes with a limit; on a machine busy with other work one may miss it. A test
    // that needed its second try is marked in the report.
    retry: 1,
  },
});
