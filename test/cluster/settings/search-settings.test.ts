/** Settings that searches ask for again and again. */
import { expect, it } from 'vitest';
import { searchSettings } from '../../../src/cluster/settings/index-values.js';

it('are read once for the same settings of index and cluster', () => {
  const index = { settings: new Map([['index.max_result_window', '20']]) };
  const cluster = new Map([['search.max_buckets', '7']]);
  const known = searchSettings(index, cluster);
  expect(known).toMatchObject({ maxResultWindow: 20, maxBuckets: 7, maxTermsCount: 65_536 });
  expect(searchSettings({ settings: index.settings }, cluster)).toBe(known);
  expect(searchSettings(index, new Map([['search.max_buckets', '8']]))).toMatchObject({
    maxResultWindow: 20,
    maxBuckets: 8,
  });
  expect(searchSettings({ settings: new Map() }, cluster)).toMatchObject({ maxResultWindow: 10_000, maxBuckets: 7 });
});
