/** The form in which the input and output of shard operations cross to another node and back, where it is not their own. */
import { selectItems } from '../native/rewrite-items.js';
import type { WriteItemsInput, WriteItemsOutput } from './operations/write-items.js';
import type { ShardOperationName } from './shard-operations.js';

/** What the other node is sent: of a request's body only what the shard needs. */
export function outgoing(name: ShardOperationName, input: unknown): unknown {
  if (name !== 'write-items') return input;
  const whole = input as WriteItemsInput;
  const { body, items } = selectItems(whole, whole.selection);
  return { ...whole, body, items, selection: whole.selection.map((_, at) => at) } satisfies WriteItemsInput;
}

/** The answer to what {@link outgoing} made of `input`, as the answer to `input` itself. */
export function answered(name: ShardOperationName, input: unknown, output: unknown): unknown {
  if (name !== 'write-items') return output;
  const { selection } = input as WriteItemsInput;
  const { answers, ...others } = output as WriteItemsOutput;
  const placed = answers.map((part) => ({ ...part, places: part.places.map((at) => selection[at] ?? 0) }));
  return { ...others, answers: placed } satisfies WriteItemsOutput;
}
