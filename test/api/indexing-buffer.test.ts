import { afterEach, expect, test } from 'vitest';
import { TestNode } from './node-harness.js';

const MEGABYTE = 1024 * 1024;

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
  node = await TestNode.start({ 'indices.memory.index_buffer_size': '8mb' });
  const names = ['a', 'b', 'c', 'd'];
  for (const name of names) {
    await node.put(`/${name}`, {
      settings: { number_of_shards: 1, number_of_replicas: 0, refresh_interval: '-1' },
      mappings: { properties: { text: { type: 'text' } } },
    });
  }
  const running = node;
  const write = async (name: string, documents: number): Promise<void> => {
    const text = Array.from({ length: 200 }, (_, at) => `word${at}`).join(' ');
    const lines = Array.from({ length: documents }, () => [{ index: {} }, { text }]).flat();
    expect((await running.bulk(`/${name}/_bulk?filter_path=errors`, lines)).json().errors).toBe(false);
  };
  const written = { a: 0, b: 0, c: 0, d: 0 };
  /** Writes to the index until its buffer holds so much. */
  const fill = async (name: keyof typeof written, bytes: number): Promise<void> => {
    for (let held = 0; held < bytes; held = (await buffers(running))[name]?.bytes ?? 0) {
      await write(name, 100);
      written[name] += 100;
    }
  };
  await fill('a', 1);
  // A shard makes a segment by itself when it holds half the budget.
  await fill('b', 3.2 * MEGABYTE);
  const held = await buffers(running);
  // Less than `b` each, more than the budget with it.
  for (const part of [1, 2, 2.7]) for (const name of ['c', 'd'] as const) await fill(name, part * MEGABYTE);
  const after = await running.until(async () => {
    const now = await buffers(running);
    const sum = names.reduce((bytes, name) => bytes + (now[name]?.bytes ?? 0), 0);
    return sum <= 8 * MEGABYTE ? now : undefined;
  });
  expect(after['b']?.refreshes).toBe((held['b']?.refreshes ?? 0) + 1);
  // Nobody else was the largest when the budget was used up.
  for (const name of ['a', 'c', 'd']) expect(after[name]?.refreshes).toBe(held[name]?.refreshes);
  for (const [name, count] of Object.entries(written)) {
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
