/** Asks for each request whether its subject may do what the endpoint's action says, before the handler is called. */
import { asAction, type Authority } from '../actions/security/authority.js';
import type { ActionContext } from '../actions/context.js';
import { resolveDateMathName } from '../cluster/names/date-math-name.js';
import { ALL_INDICES } from '../cluster/names/index-expression.js';
import { isPattern } from '../cluster/names/wildcard.js';
import { isClusterAction } from '../cluster/security/privileges/cluster-privileges.js';
import type { ActionRule, Endpoint, RestRequest } from './endpoint.js';
import { indexNames } from './indices/index-names.js';

/**
 * What the handler gets: a context that sees the indices only that the subject may do this to. Throws `security_exception`. Without a subject nothing
 * is asked: security is off, or the node works for itself.
 */
export function authorise({ action }: Endpoint, request: RestRequest, context: ActionContext): ActionContext {
  const { authority } = context;
  if (authority === undefined) return context;
  const rule: ActionRule = typeof action === 'string' ? { name: action } : action;
  const name = rule.of?.(request, authority.subject) ?? rule.name;
  authority.requireRunAs(name);
  if (rule.isOwn?.(request, authority.subject) === true) return context;
  for (const each of [name, ...(rule.also ?? [])]) authority.require(each);
  if (isClusterAction(name)) return context;
  requireNames(rule, name, request, { authority, nowMs: context.clock.nowMs() });
  return asAction(context, name);
}

function requireNames(
  rule: ActionRule,
  action: string,
  request: RestRequest,
  { authority, nowMs }: { readonly authority: Authority; readonly nowMs: number },
): void {
  if (rule.isPerItem === true || request.parameters['ignore_unavailable'] === true) return;
  const { index }: { readonly index?: string } = request.parts;
  const parts = rule.names?.(request) ?? [index];
  const names = parts.flatMap((part) => (part === undefined ? [] : indexNames(part)));
  const plain = names.filter((name) => name !== ALL_INDICES && !isPattern(name) && !name.startsWith('-'));
  authority.requireNames(
    action,
    plain.map((name) => resolveDateMathName(name, nowMs)),
  );
}
