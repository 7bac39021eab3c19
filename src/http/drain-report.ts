/** What a node that stops says of the requests that it waits for. */

/** How many requests of each kind there are, and for how long they are waited for at most. */
export function describeWaits(counts: readonly (readonly [number, string])[], leftMs: number): string {
  const waits = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return `requests: ${waits.join('; ')} (for ${Math.ceil(leftMs / 1_000)} s at most)`;
}

/** Names of actions with the number of tasks of each; empty without any. */
export function describeActions(actions: Iterable<readonly [string, number]>): string {
  const serving = Array.from(actions, ([action, count]) => `${action} (${count})`);
  return serving.length === 0 ? '' : `: ${serving.join(', ')}`;
}
