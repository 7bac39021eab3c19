/** Asks for each request whether its subject may do what the endpoint's action says, before the handler is called. */
import type { WitnessedRequest } from '../actions/security/audit/witness.js';
import { asAction, Authority } from '../actions/security/authority.js';
import type { ActionContext } from '../actions/context.js';
import { resolveDateMathName } from '../cluster/names/date-math-name.js';
import { ALL_INDICES } from '../cluster/names/index-expression.js';
import { isPattern } from '../cluster/names/wildcard.js';
import { isClusterAction } from '../cluster/security/privileges/cluster-privileges.js';
import { readSubject } from '../cluster/security/subject-text.js';
import type { ClusterState } from '../cluster/state.js';
import type { ActionRule, Endpoint, RestRequest } from './endpoint.js';
import { indexNames } from './indices/index-names.js';
import type { BareRequest } from './wire.js';

/**
 * What the handler gets: a context that sees the indices only that the subject may do this to. Throws `security_exception`. Without a subject nothing
 * is asked: security is off, or the node works for itself.
 */
export function authorise({ action, routes }: Endpoint, request: RestRequest, context: ActionContext): ActionContext {
  const { authority } = context;
  if (authority === undefined) return context;
  const rule: ActionRule = typeof action === 'string' ? { name: action } : action;
  const name = rule.of?.(request, authority.subject) ?? rule.name;
  authority.requireRunAs(name);
  const isOwn = rule.isOwn?.(request, authority.subject) === true;
  if (!isOwn) for (const each of [name, ...(rule.also ?? [])]) authority.require(each);
  const isOnIndices = !isOwn && !isClusterAction(name);
  const names = isOnIndices ? namesIn(rule, request) : [];
  if (isOnIndices) requireNames(rule, name, names, request, { authority, nowMs: context.clock.nowMs() });
  if (authority.witness !== undefined) {
    // Without a name it is about all indices, where it could have one.
    const isAboutAll = names.length === 0 && rule.isPerItem !== true && routes.some(({ path }) => isOfIndex(path));
    const said = isOnIndices && isAboutAll ? [ALL_INDICES] : names;
    authority.witness.allowed(name, said, request, () => authority.view(name));
  }
  return isOnIndices ? asAction(context, name) : context;
}

const NO_BODY: WitnessedRequest['body'] = { isEmpty: true, bytes: new Uint8Array(0), object: () => undefined };

/**
 * Tells the audit log what {@link authorise} tells it, of a request that is known to be allowed by this state. It has no body, and names what it is
 * about in its path, if it is about indices.
 */
export function tellAllowed(
  { action }: Pick<Endpoint, 'action'>,
  parts: Readonly<Record<string, string>>,
  authority: Authority,
): void {
  const name = typeof action === 'string' ? action : action.name;
  authority.requireRunAs(name);
  const { index } = parts;
  const names = index === undefined ? [] : indexNames(index);
  authority.witness?.allowed(name, names, { parts, parameters: {}, body: NO_BODY }, () => authority.view(name));
}

/**
 * The state as the subject sees it who does this to the indices that the path names, where he may read all documents of those that he sees; undefined where he
 * may not, which is looked at document by document. Throws `security_exception` as {@link authorise} does.
 */
export function wholeView(
  { action }: Pick<Endpoint, 'action'>,
  { subject: text, parts }: Pick<BareRequest, 'subject' | 'parts'>,
  state: ClusterState,
  nowMs: number,
): ClusterState | undefined {
  const subject = readSubject(text);
  if (subject === undefined) return state;
  const authority = new Authority(subject, () => state);
  const name = typeof action === 'string' ? action : action.name;
  authority.requireRunAs(name);
  authority.require(name);
  requirePlainNames(name, indexNames(parts['index']), authority, nowMs);
  return authority.readsWhole(name) ? authority.view(name) : undefined;
}

function isOfIndex(path: string): boolean {
  return path.includes('{index}');
}

function namesIn(rule: ActionRule, request: RestRequest): readonly string[] {
  const { index }: { readonly index?: string } = request.parts;
  const parts = rule.names?.(request) ?? [index];
  return parts.flatMap((part) => (part === undefined ? [] : indexNames(part)));
}

function requireNames(
  rule: ActionRule,
  action: string,
  names: readonly string[],
  request: RestRequest,
  { authority, nowMs }: { readonly authority: Authority; readonly nowMs: number },
): void {
  if (rule.isPerItem === true || request.parameters['ignore_unavailable'] === true) return;
  requirePlainNames(action, names, authority, nowMs);
}

/** A pattern stands for what the subject sees. */
function requirePlainNames(action: string, names: readonly string[], authority: Authority, nowMs: number): void {
  const plain = names.filter((name) => name !== ALL_INDICES && !isPattern(name) && !name.startsWith('-'));
  authority.requireNames(
    action,
    plain.map((name) => resolveDateMathName(name, nowMs)),
  );
}
