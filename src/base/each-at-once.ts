/** Works on all items, so many of them at once. The first failure is thrown when those that have begun have ended; no other begins after it. */
export async function eachAtOnce<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  let hasFailed = false;
  const worker = async (): Promise<void> => {
    for (const item of queue) {
      try {
        await work(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
      if (hasFailed) return;
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
}
