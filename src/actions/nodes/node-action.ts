/** What a node is asked about itself, by whichever node has the request. Runs in any worker of the node that is asked. */
import type { ActionContext } from '../context.js';

export interface NodeAction<Name extends string, Input, Output> {
  readonly name: Name;
  run(context: ActionContext, input: Input): Promise<Output>;
}

/** Input and output must survive a structured clone and `transport/codec.ts`. */
export function defineNodeAction<const Name extends string, Input, Output>(
  name: Name,
  run: NodeAction<Name, Input, Output>['run'],
): NodeAction<Name, Input, Output> {
  return { name, run };
}
