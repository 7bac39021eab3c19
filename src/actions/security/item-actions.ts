/** Writes of documents are authorised one by one: what may be added to an index may perhaps not be deleted from it. */
import { asQuarryError } from '../../base/error-wire.js';
import type { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { resolveDateMathName } from '../../cluster/names/date-math-name.js';
import type { SplitBulk } from '../../native/bulk.js';
import { actionOfItem, indexOfItem, itemCount, type ItemAction } from '../../native/descriptor.js';
import type { ActionContext } from '../context.js';

const ACTIONS: Readonly<Record<ItemAction, string>> = {
  create: 'indices:data/write/index:op_type/create',
  delete: 'indices:data/write/delete',
  index: 'indices:data/write/index:op_type/index',
  update: 'indices:data/write/update',
};

/** Throws `security_exception` unless the subject may do this to a document of the index, alias or data stream. */
export function authoriseWrite({ authority, clock }: ActionContext, action: ItemAction, expression: string): void {
  authority?.requireNames(ACTIONS[action], [resolveDateMathName(expression, clock.nowMs())]);
}

/** Throws `security_exception` unless the subject may give these aliases, as the body of a request has them, to the index that it makes. */
export function authoriseAliases({ authority }: ActionContext, index: string, aliases: JsonObject | undefined): void {
  const names = Object.keys(aliases ?? {});
  if (names.length > 0) authority?.requireNames('indices:admin/aliases', [index, ...names]);
}

/** Calls `refuse` with the places of items that the subject may not carry out. */
export function authoriseItems(
  split: SplitBulk,
  context: ActionContext,
  refuse: (place: number, error: QuarryError) => void,
): void {
  if (context.authority === undefined) return;
  const known = new Map<string, QuarryError | undefined>();
  for (let place = 0; place < itemCount(split); place++) {
    const action = actionOfItem(split, place);
    const index = split.indexNames[indexOfItem(split, place)] ?? '';
    const key = `${action}/${index}`;
    if (!known.has(key)) known.set(key, refusal(context, action, index));
    const error = known.get(key);
    if (error !== undefined) refuse(place, error);
  }
}

function refusal(context: ActionContext, action: ItemAction, index: string): QuarryError | undefined {
  try {
    authoriseWrite(context, action, index);
    return undefined;
  } catch (error) {
    return asQuarryError(error);
  }
}
