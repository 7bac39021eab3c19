import { afterEach, expect, test } from 'vitest';
import { TestNode } from './node-harness.js';

let node: TestNode | undefined;

afterEach(async () => {
  await node?.stop();
  node = undefined;
});

/** Bytes that the indexing buffer holds and refreshes so far, by index. */
async function buffers(running: TestNode): Promise<Record<string, { bytes: number; refreshes: number }>> {
  const { indices } = (await running.get('/_stats/segments,refresh')).json() as {
    indices: Record<string, { total: { segments: Record<string, number>; refresh: { total: number } } }>;
  };
  return Object.fromEntries(
    Object.entries(indices).map(([name, { total }]) => [
      name,
      { bytes: total.segments['index_writer_memory_in_bytes'] ?? 0, refreshes: total.refresh.total },
    ]),
  );
}

test('the indexing buffers of all shards share one budget, and the largest are emptied first', async () => {
  node = await TestNode.start({ 'indices.memory.index_buffer_size': '4mb' });
  const names = ['a', 'b', 'c', 'd'];
  for (const name of names) {
    await node.put(`/${name}`, {
      settings: { number_of_shards: 1, number_of_replicas: 0, refresh_interval: '-1' },
      mappings: { properties: { text: { type: 'text' } } },
    });
  }
  const before = await buffers(node);
  const write = async (name: string, documents: number): Promise<void> => {
    const text = Array.from({ length: 200 }, (_, at) => `word${at}`).join(' ');
    const lines = Array.from({ length: documents }, () => [{ index: {} }, { text }]).flat();
    expect((await node?.bulk(`/${name}/_bulk?filter_path=errors`, lines))?.json().errors).toBe(false);
  };
  await write('a', 100);
  await write('b', 700);
  const held = await buffers(node);
  expect(held['a']?.refreshes).toBe(before['a']?.refreshes);
  for (let round = 0; round < 3; round++) for (const name of ['c', 'd']) await write(name, 300);
  const running = node;
  const after = await running.until(async () => {
    const now = await buffers(running);
    const sum = names.reduce((bytes, name) => bytes + (now[name]?.bytes ?? 0), 0);
    return sum <= 4 * 1024 * 1024 ? now : undefined;
  });
  expect(after['b']?.refreshes).toBeGreaterThan(before['b']?.refreshes ?? 0);
  // The small one was never the largest.
  expect(after['a']).toEqual(held['a']);
  for (const [name, count] of Object.entries({ a: 100, b: 700, c: 900, d: 900 })) {
    await node.post(`/${name}/_refresh`);
    expect((await node.get(`/${name}/_count`)).json().count).toBe(count);
  }
});

test('the settings are printed, and refused when they make no sense', async () => {
  node = await TestNode.start({ 'indices.memory.index_buffer_size': '12%' });
  const settings = await node.get('/_nodes/_local/settings?flat_settings');
  expect(settings.text).toContain('"indices.memory.index_buffer_size":"12%"');
  await expect(TestNode.start({ 'indices.memory.index_buffer_size': '120%' })).rejects.toThrow('at most [100%]');
});
