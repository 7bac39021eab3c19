/** Indices that the node itself needs to write to: what would turn others away does not turn these away. */

/** What tasks that nobody waited for came to. */
export const TASKS_INDEX = '.tasks';

export function isSystemIndex(name: string): boolean {
  return name === TASKS_INDEX;
}
