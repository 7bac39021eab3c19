/** Tasks of several nodes. */
import { asQuarryError } from '../../base/error-wire.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { taskId, type TaskFilter, type TaskInfo, type TaskQuestion } from '../../base/tasks/task.js';
import { selectNodes } from '../../cluster/nodes/node-filter.js';
import type { NodeRecord } from '../../cluster/state.js';
import type { ActionContext } from '../context.js';

/** How long a node may take to tell of its tasks. */
const ANSWER_MS_MAX = 10_000;
/** How long tasks are waited for where the request does not say. */
export const WAIT_MS = 30_000;

/** Also of its parts on other nodes. */
const LIST_ACTION = 'cluster:monitor/tasks/lists';

export interface NodeTasks {
  readonly node: NodeRecord;
  readonly tasks: readonly TaskInfo[];
}

export interface FoundTasks {
  /** Of nodes that have some. */
  readonly nodes: readonly NodeTasks[];
  readonly failures: readonly QuarryError[];
}

/** A task's id in its parts. */
export interface TaskName {
  readonly nodeId: string;
  readonly number: number;
}

export interface TaskSelection {
  /** Filters of nodes; empty: all. */
  readonly nodes: readonly string[];
  readonly actions: readonly string[];
  readonly parent: string | undefined;
  readonly task?: TaskName;
}

/** Throws where the text is no id. */
export function parseTaskId(text: string): TaskName {
  const colon = text.lastIndexOf(':');
  if (colon < 1) throw illegalArgument(`malformed task id ${text}`);
  const number = text.slice(colon + 1);
  if (!/^-?\d+$/.test(number)) throw illegalArgument(`malformed task id ${text}`);
  return { nodeId: text.slice(0, colon), number: Number(number) };
}

export async function listTasks(
  context: ActionContext,
  selection: TaskSelection,
  options: { readonly detailed: boolean; readonly waits: boolean; readonly timeoutMs: number },
): Promise<FoundTasks> {
  const filter = filterOf(selection);
  const { detailed, timeoutMs } = options;
  const found = await askAll(context, selection, { kind: 'list', filter, detailed });
  if (!options.waits) return found;
  const waiting = found.nodes.map(({ node, tasks }) => ({
    nodeId: node.id,
    // Neither for this one nor for others that list: they may wait for this one.
    numbers: tasks.filter(({ action }) => !action.startsWith(LIST_ACTION)).map(({ number }) => number),
  }));
  await Promise.all(waiting.map(({ nodeId, numbers }) => whenEnded(context, nodeId, numbers, timeoutMs)));
  return found;
}

export function cancelTasks(context: ActionContext, selection: TaskSelection, waits: boolean): Promise<FoundTasks> {
  const question = { kind: 'cancel', filter: filterOf(selection), waits, timeoutMs: WAIT_MS } as const;
  return askAll(context, selection, question, waits);
}

/** Resolves when the tasks have ended; refuses to wait longer than the time. */
export async function whenEnded(
  context: ActionContext,
  nodeId: string,
  numbers: readonly number[],
  timeoutMs: number,
): Promise<void> {
  if (numbers.length === 0) return;
  let stop = (): void => undefined;
  const overdue = new Promise<never>((_, reject) => {
    stop = context.clock.schedule(timeoutMs, () => {
      const ids = numbers.map((number) => taskId(nodeId, number)).join(', ');
      reject(new QuarryError('timeout_exception', `Timed out waiting for completion of tasks [${ids}]`));
    });
  });
  try {
    await Promise.race([context.tasks.ask(nodeId, { kind: 'await', numbers, timeoutMs }, timeoutMs), overdue]);
  } finally {
    stop();
  }
}

function filterOf({ actions, parent, task }: TaskSelection): TaskFilter {
  return {
    actions,
    ...(parent === undefined ? {} : { parent }),
    ...(task === undefined ? {} : { number: task.number }),
  };
}

/** Each node that the selection names, or the one of the task. */
export async function askAll(
  context: ActionContext,
  selection: TaskSelection,
  question: TaskQuestion,
  waits = false,
): Promise<FoundTasks> {
  const state = context.clusterState();
  const { task } = selection;
  const chosen = selectNodes(state, task === undefined ? selection.nodes : [task.nodeId], context.node.id);
  const failures: QuarryError[] = [];
  if (task !== undefined && chosen.length === 0) failures.push(noSuchNode(task.nodeId));
  const timeoutMs = waits ? WAIT_MS : ANSWER_MS_MAX;
  const outcomes = await Promise.allSettled(chosen.map(({ id }) => context.tasks.ask(id, question, timeoutMs)));
  const nodes: NodeTasks[] = [];
  for (const [at, node] of chosen.entries()) {
    const outcome = outcomes[at];
    if (outcome?.status === 'rejected') failures.push(failedNode(node.id, asQuarryError(outcome.reason)));
    else if (outcome !== undefined && outcome.value.length > 0) nodes.push({ node, tasks: outcome.value });
  }
  return { nodes, failures };
}

function failedNode(nodeId: string, cause: QuarryError): QuarryError {
  return new QuarryError('failed_node_exception', `Failed node [${nodeId}]`, { details: { node_id: nodeId }, cause });
}

function noSuchNode(nodeId: string): QuarryError {
  return failedNode(nodeId, new QuarryError('node_not_connected_exception', `No such node [${nodeId}]`));
}
