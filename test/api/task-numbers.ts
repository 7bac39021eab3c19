/** Requests are numbered in the order in which they become tasks; what is answered at once is none. */
import type { Answer, Json } from './node-harness.js';

/** The number of the task that asking for it is. */
export async function nextTask(get: (path: string) => Promise<Answer>): Promise<number> {
  const { nodes } = (await get('/_tasks?actions=cluster:monitor/tasks/lists')).json();
  const ids = Object.values<Json>(nodes).flatMap(({ tasks }) => Object.values<Json>(tasks).map(({ id }) => Number(id)));
  return Math.max(...ids);
}
