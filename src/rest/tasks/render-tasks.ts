/** Lists of tasks: by node, by parent, or plain. */
import type { FoundTasks } from '../../actions/tasks/all-tasks.js';
import type { ActionContext } from '../../actions/context.js';
import { idOfTask, renderTask, type TaskLook } from '../../actions/tasks/render-task.js';
import type { JsonObject } from '../../base/json-value.js';
import type { NodeRecord } from '../../cluster/state.js';
import { describeWithCause } from '../error-body.js';

export const GROUPS = ['nodes', 'parents', 'none'] as const;
export type Grouping = (typeof GROUPS)[number];

export function taskLook(context: ActionContext, detailed: boolean, human: boolean): TaskLook {
  const alwaysCancelled = context.settings.values['compatibility.distribution'] !== 'elasticsearch';
  return { detailed, human, alwaysCancelled };
}

export function renderTasks({ nodes, failures }: FoundTasks, grouping: Grouping, look: TaskLook): JsonObject {
  const failed = failures.length === 0 ? {} : { node_failures: failures.map((each) => describeWithCause(each)) };
  if (grouping === 'nodes') {
    return {
      ...failed,
      nodes: Object.fromEntries(
        nodes.map(({ node, tasks }) => [
          node.id,
          {
            ...describeNode(node),
            tasks: Object.fromEntries(tasks.map((task) => [idOfTask(node.id, task), renderTask(node.id, task, look)])),
          },
        ]),
      ),
    };
  }
  const all = nodes.flatMap(({ node, tasks }) =>
    tasks.map((task) => ({ id: idOfTask(node.id, task), parent: task.parent, json: renderTask(node.id, task, look) })),
  );
  if (grouping === 'none') return { ...failed, tasks: all.map(({ json }) => json) };
  return { ...failed, tasks: byParent(all) };
}

interface Rendered {
  readonly id: string;
  readonly parent: string;
  readonly json: JsonObject;
}

/** Tasks whose parent is not among them stand by themselves. */
function byParent(all: readonly Rendered[]): JsonObject {
  const ids = new Set(all.map(({ id }) => id));
  const children = new Map<string, Rendered[]>();
  for (const task of all)
    if (ids.has(task.parent)) children.set(task.parent, [...(children.get(task.parent) ?? []), task]);
  const withChildren = ({ id, json }: Rendered): JsonObject => {
    const own = children.get(id);
    return own === undefined ? json : { ...json, children: own.map(withChildren) };
  };
  return Object.fromEntries(all.filter(({ parent }) => !ids.has(parent)).map((task) => [task.id, withChildren(task)]));
}

function describeNode({ name, transportAddress, host, ip, roles, attributes }: NodeRecord): JsonObject {
  const hasAttributes = Object.keys(attributes).length > 0;
  return { name, transport_address: transportAddress, host, ip, roles, ...(hasAttributes ? { attributes } : {}) };
}
