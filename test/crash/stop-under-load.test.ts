import { afterEach, expect, test } from 'vitest';
import { TestNode } from '../api/node-harness.js';
import { createLoadedIndex, expectAll, LOADED_INDEX, startLoad } from './load.js';

let node: TestNode | undefined;

afterEach(async () => {
  await node?.stop();
  node = undefined;
});

test('SIGTERM under load answers what was accepted, flushes, ends with 0 and loses nothing', async () => {
  node = await TestNode.start();
  await createLoadedIndex(node, { number_of_shards: 2, refresh_interval: '50ms' });
  const load = startLoad(node);
  await load.more(1_000);
  node.post(`/${LOADED_INDEX}/_forcemerge?max_num_segments=1`).catch(() => undefined);
  expect(await node.signal('SIGTERM')).toBe(0);
  await load.stop();
  expect(load.refusals).toEqual([]);
  node = await TestNode.start({}, node.directory);
  await node.get('/_cluster/health?wait_for_status=green&timeout=30s');
  const stats = (await node.get(`/${LOADED_INDEX}/_stats/translog`)).json();
  expect(stats._all.primaries.translog.operations).toBe(0);
  await expectAll(node, load.acknowledged);
});
