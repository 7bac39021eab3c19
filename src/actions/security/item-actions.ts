/** Writes of documents are authorised one by one: what may be added to an index may perhaps not be deleted from it. */
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError } from '../../base/errors.js';
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
export function authoriseWrite(
  { authority, clock }: ActionContext,
  action: ItemAction,
  expression: string,
  updateRefused = UPDATE_REFUSED,
): void {
  if (authority === undefined) return;
  const name = resolveDateMathName(expression, clock.nowMs());
  authority.requireNames(ACTIONS[action], [name]);
  // What is changed is read before: of what the subject may not read the rest would be lost, or shown to him.
  if (action === 'update') authority.requireWholeReading(ACTIONS.update, name, updateRefused);
  authority.witness?.granted(ACTIONS[action], [name]);
}

const ITEM_REFUSED =
  "Can't execute a bulk item request with update requests embedded if field or document level security is enabled";
const UPDATE_REFUSED = "Can't execute an update request if field or document level security is enabled";
const PUT_MAPPING = 'indices:admin/mapping/put';
const ALIAS_REFUSED =
  'Alias requests are not allowed for users who have field or document level security enabled on one of the indices';
const RUNTIME_REFUSED =
  'Runtime fields are not added to mappings by users who have field or document level security enabled on one of the indices';
const RESIZE = 'indices:admin/resize';
const RESIZE_WIDER =
  'Resizing an index is not allowed when the target index has more permissions than the source index';
const RESIZE_REFUSED =
  'Resize requests are not allowed for users when field or document level security is enabled on the source index';

/** By another name the subject might read more of the indices. Throws `security_exception` where he may not read all of them. */
export function authoriseNewAlias({ authority }: ActionContext, indices: readonly string[]): void {
  for (const index of indices) authority?.requireWholeReading('indices:admin/aliases', index, ALIAS_REFUSED);
}

/**
 * As {@link authoriseNewAlias}, of indices whose mapping is to have other runtime fields: one may stand in the place of the field that
 * the query of a role names.
 */
export function authoriseRuntimeFields({ authority }: ActionContext, indices: readonly string[]): void {
  for (const index of indices) authority?.requireWholeReading(PUT_MAPPING, index, RUNTIME_REFUSED);
}

/** As {@link authoriseNewAlias}, of an index that is to have the same documents. He may do no more to that than to the one that has them. */
export function authoriseResize({ authority }: ActionContext, source: string, target = source): void {
  if (authority === undefined) return;
  authority.requireWholeReading(RESIZE, source, RESIZE_REFUSED);
  if (authority.permissions.allowsNoMore(target, source)) return;
  authority.witness?.denied(RESIZE, [target]);
  throw new QuarryError('security_exception', RESIZE_WIDER);
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
    authoriseWrite(context, action, index, ITEM_REFUSED);
    return undefined;
  } catch (error) {
    return asQuarryError(error);
  }
}
