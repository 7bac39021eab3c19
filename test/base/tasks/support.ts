import type { Clock } from '../../../src/base/clock.js';
import { systemClock } from '../../../src/base/clock.js';
import { TaskTable } from '../../../src/base/tasks/task-table.js';
import { matchesAny } from '../../../src/cluster/names/wildcard.js';

/** A table that describes requests by their query string. */
export function taskTable(clock: Clock = systemClock): TaskTable {
  return new TaskTable({ clock, describe: ({ request }) => request?.query ?? '', matchesAny });
}
