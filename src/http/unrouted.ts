/** Answers to requests that no endpoint takes. */
import { QuarryError } from '../base/errors.js';
import type { RouteMatch } from '../rest/router.js';
import type { Exchange } from './exchange.js';

/** `match`: what the path and the method lead to; to an endpoint only where that one is switched off with security. */
export function answerUnrouted(exchange: Exchange, match: RouteMatch<object>): void {
  if (match.kind === 'wrong_method') answerWrongMethod(exchange, match.allowed);
  else exchange.sendError(noHandler(exchange, match));
}

function noHandler(
  { method, rawPath, query }: Exchange,
  match: Exclude<RouteMatch<object>, { kind: 'wrong_method' }>,
): QuarryError {
  const uri = query === '' ? rawPath : `${rawPath}?${query}`;
  const reason = `no handler found for uri [${uri}] and method [${method}]`;
  return new QuarryError('no_handler_found_exception', `${reason}${whyNone(method, rawPath, match)}`);
}

function whyNone(
  method: string,
  rawPath: string,
  match: Exclude<RouteMatch<object>, { kind: 'wrong_method' }>,
): string {
  if (match.kind === 'found') return ': security is not enabled, see [security.enabled]';
  return match.kind === 'absent' ? `: [${method} ${rawPath}] is not part of Quarry (${match.family.title})` : '';
}

function answerWrongMethod(exchange: Exchange, methods: readonly string[]): void {
  const { method, rawPath } = exchange;
  const allowed = methods.join(',');
  if (method === 'OPTIONS') {
    exchange.send({ status: 200, headers: [['Allow', allowed]], body: new Uint8Array(0) });
    return;
  }
  const reason = `Incorrect HTTP method for uri [${rawPath}] and method [${method}], allowed: [${methods.join(', ')}]`;
  exchange.sendError(new QuarryError('method_not_allowed_exception', reason), [['Allow', allowed]]);
}
