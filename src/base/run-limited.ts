import type { TurnOfLoop } from './turn-of-loop.js';

/** Runs the work of all items, at most `limit` of them at once, and gives the results in the order of the items. */
export async function runLimited<Item, Result>(
  items: readonly Item[],
  limit: number,
  loop: TurnOfLoop,
  work: (item: Item, at: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      const at = next++;
      await loop.leaveTime();
      results[at] = await work(items[at] as Item, at);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  return results;
}
