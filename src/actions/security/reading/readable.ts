/** A restriction with what it comes to by the mapping of the index. */
import { fieldView, type FieldView } from '../../../cluster/security/field-view.js';
import type { Mapping } from '../../../mapping/types.js';
import type { QueryPlan } from '../../../search/plan/query-plan.js';
import type { ReadRestriction } from './read-restrictions.js';

export interface Readable {
  readonly documents: QueryPlan | undefined;
  readonly view: FieldView | undefined;
}

/** Of an index that is not there any more. */
const UNMAPPED: Mapping = { root: { kind: 'object', properties: new Map() }, runtime: new Map() };

const resolved = new WeakMap<ReadRestriction, Readable>();

/** The same object for the same restriction while the mapping is the same. */
export function resolvedRestriction(restriction: ReadRestriction, mapping: Mapping = UNMAPPED): Readable {
  const { documents, fields } = restriction;
  const view = fields === undefined ? undefined : fieldView(mapping, fields);
  const known = resolved.get(restriction);
  if (known?.view === view && known !== undefined) return known;
  const readable = { documents, view };
  resolved.set(restriction, readable);
  return readable;
}
