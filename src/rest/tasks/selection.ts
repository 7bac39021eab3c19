/** Which tasks a request is about. */
import { parseTaskId, type TaskSelection } from '../../actions/tasks/all-tasks.js';
import { listParameter, stringParameter, type ParameterValues } from '../parameters.js';

export const selectionParameters = {
  nodes: listParameter(),
  actions: listParameter(),
  parent_task_id: stringParameter(),
} as const;

/** Stands for no parent in particular. */
const ANY_PARENT = '-1';

export function selectionOf(given: ParameterValues<typeof selectionParameters>, id?: string): TaskSelection {
  const { nodes = [], actions = [], parent_task_id: parent } = given;
  const parentId = parent === undefined || parent === ANY_PARENT ? undefined : parent;
  if (parentId !== undefined) parseTaskId(parentId);
  return { nodes, actions, parent: parentId, ...(id === undefined ? {} : { task: parseTaskId(id) }) };
}
