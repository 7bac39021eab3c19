/** The same question to several nodes. */
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError } from '../../base/errors.js';
import type { NodeRecord } from '../../cluster/state.js';
import type { ActionContext } from '../context.js';
import type { NodeActionInput, NodeActionName, NodeActionOutput } from './node-actions.js';

export interface NodeAnswer<Output> {
  readonly node: NodeRecord;
  readonly output: Output;
}

export interface NodeAnswers<Output> {
  /** In order of the nodes that were asked. */
  readonly answers: readonly NodeAnswer<Output>[];
  readonly failures: readonly QuarryError[];
}

export async function askNodes<Name extends NodeActionName>(
  context: ActionContext,
  nodes: readonly NodeRecord[],
  name: Name,
  input: NodeActionInput<Name>,
  timeoutMs: number,
): Promise<NodeAnswers<NodeActionOutput<Name>>> {
  const outcomes = await Promise.allSettled(nodes.map(({ id }) => context.nodes.onNode(id, name, input, timeoutMs)));
  const answers: NodeAnswer<NodeActionOutput<Name>>[] = [];
  const failures: QuarryError[] = [];
  outcomes.forEach((outcome, at) => {
    const node = nodes[at];
    if (node === undefined) return;
    if (outcome.status === 'fulfilled') answers.push({ node, output: outcome.value });
    else failures.push(failedNode(node, outcome.reason));
  });
  return { answers, failures };
}

function failedNode({ id, name }: NodeRecord, reason: unknown): QuarryError {
  return new QuarryError('failed_node_exception', `Failed node [${id}]`, {
    details: { node_id: id, node_name: name },
    cause: asQuarryError(reason),
  });
}
