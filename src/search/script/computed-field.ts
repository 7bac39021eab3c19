/** Fields without a name of their own: what scripts of aggregations and sorts give for each document. */
import { createHash } from 'node:crypto';
import type { ComputedFieldPlan } from '../plan/search-plan.js';

/** The same definition has the same name, so that it is computed once. */
export function computedField(definition: Omit<ComputedFieldPlan, 'name'>): ComputedFieldPlan {
  const digest = createHash('sha256').update(JSON.stringify(definition)).digest('base64url');
  return { name: `script:${digest}`, ...definition };
}
