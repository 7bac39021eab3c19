/** `POST _aliases`: several additions and removals at once. */
import type { ActionContext } from '../../../actions/context.js';
import { illegalArgument, QuarryError } from '../../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.js';
import { parseAlias } from '../../../cluster/aliases/alias-body.js';
import type { AliasAction } from '../../../cluster/changes/indices/update-aliases.js';
import { resolveDateMathName } from '../../../cluster/names/date-math-name.js';
import { requireNames } from '../../../cluster/security/index-access.js';
import { answerValue } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { acknowledgedParameters } from '../../parameters.js';
import { additions, aliasHolders, removals, type AliasHolders } from './alias-holders.js';
import { literalAliases } from './alias-patterns.js';
import { aliasesMissing } from './delete-alias.js';
import { masterTimeoutMs } from '../index-names.js';

export const updateAliasesEndpoint = defineEndpoint({
  name: 'indices.update_aliases',
  action: 'indices:admin/aliases',
  methods: ['POST'],
  paths: ['/_aliases'],
  parameters: acknowledgedParameters,
  body: 'json',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters } = request;
    const { actions: list, ...others } = request.body.requireObject();
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw badAction(`[aliases] unknown field [${unknown}]`);
    if (!Array.isArray(list) || list.length === 0) throw illegalArgument('No action specified');
    const read = (list as readonly JsonValue[]).map((action) => readAction(context, action));
    const actions = read.flatMap((each) => each.actions);
    if (actions.length === 0) throw aliasesMissing([...new Set(read.flatMap(({ aliases }) => aliases))]);
    const timeoutMs = masterTimeoutMs(parameters, request.sentParameters);
    await context.coordinator.submit('update-aliases', { actions }, { timeoutMs });
    const errors = read.some(({ actions: found }) => found.length === 0);
    return answerValue({ acknowledged: true, errors, ...(errors ? { action_results: read.map(renderResult) } : {}) });
  },
});

/** One action of the body, and what it comes to. */
interface ReadAction {
  readonly kind: string;
  /** Names of indices and data streams. */
  readonly holders: readonly string[];
  readonly aliases: readonly string[];
  /** None: aliases that are to go are not there. */
  readonly actions: readonly AliasAction[];
}

function readAction(context: ActionContext, action: JsonValue): ReadAction {
  const [entry, second] = isJsonObject(action) ? Object.entries(action) : [];
  if (entry === undefined || second !== undefined) throw badAction('[alias_action] must name exactly one action');
  const [kind, body] = entry;
  if (!isJsonObject(body)) throw badAction(`[${kind}] must be an object`);
  switch (kind) {
    case 'add':
      return readAdd(context, body);
    case 'remove':
      return readRemove(context, body);
    case 'remove_index':
      return readRemoveIndex(context, body);
    default:
      throw badAction(`[alias_action] unknown field [${kind}]`);
  }
}

function readAdd(context: ActionContext, body: JsonObject): ReadAction {
  const { index: _index, indices: _indices, alias: _alias, aliases: _aliases, must_exist, ...rest } = body;
  if (must_exist !== undefined) throw illegalArgument('[must_exist] is unsupported for [ADD]');
  const nowMs = context.clock.nowMs();
  const aliases = aliasNames(body, 'add').map((alias) => resolveDateMathName(alias, nowMs));
  requireNames(context.clusterState(), aliases);
  const expression = expressionOf(body, 'add');
  const holders = aliasHolders(context, expression);
  const actions = aliases.flatMap((alias) =>
    additions(context, holders, expression, { alias, metadata: parseAlias(rest, alias) }),
  );
  return { kind: 'add', holders: namesOf(holders), aliases, actions };
}

function readRemove(context: ActionContext, body: JsonObject): ReadAction {
  const { index: _index, indices: _indices, alias: _alias, aliases: _aliases, must_exist, ...rest } = body;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw illegalArgument(`[${unknown}] is unsupported for [REMOVE]`);
  const aliases = aliasNames(body, 'remove');
  const holders = aliasHolders(context, expressionOf(body, 'remove'));
  const actions = removals(context.clusterState(), holders, aliases);
  if (must_exist === true) checkFound(aliases, actions);
  return { kind: 'remove', holders: namesOf(holders), aliases, actions };
}

/** Each alias that is named must be there, and patterns must find something. */
function checkFound(aliases: readonly string[], actions: readonly AliasAction[]): void {
  const found = new Set(actions.flatMap((action) => ('alias' in action ? [action.alias] : [])));
  const missing = actions.length === 0 ? aliases : literalAliases(aliases).filter((alias) => !found.has(alias));
  if (missing.length === 0) return;
  throw new QuarryError('resource_not_found_exception', `required alias [${missing.join(',')}] does not exist`);
}

function readRemoveIndex(context: ActionContext, body: JsonObject): ReadAction {
  const { index: _index, indices: _indices, must_exist: _mustExist, ...rest } = body;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw illegalArgument(`[${unknown}] is unsupported for [REMOVE_INDEX]`);
  const { indices } = aliasHolders(context, expressionOf(body, 'remove_index'));
  const names = indices.map(({ name }) => name);
  context.authority?.requireNames('indices:admin/delete', names);
  const actions = indices.map(({ name, uuid }) => ({ kind: 'remove_index', index: { name, uuid } }) as const);
  return { kind: 'remove_index', holders: names, aliases: [], actions };
}

function namesOf({ indices, streams }: AliasHolders): readonly string[] {
  return [...streams, ...indices].map(({ name }) => name);
}

function renderResult({ kind, holders, aliases, actions }: ReadAction): JsonObject {
  const action = { type: kind, indices: holders, aliases };
  if (actions.length > 0) return { action, status: 200 };
  const error = aliasesMissing(aliases);
  return { action, status: 404, error: { type: error.type, reason: error.message, ...error.details } };
}

function expressionOf(body: JsonObject, action: string): string {
  const names = texts(body, 'index', 'indices');
  if (names.length === 0) throw illegalArgument(`One of [index] or [indices] is required for [${action}]`);
  return names.join(',');
}

function aliasNames(body: JsonObject, action: string): readonly string[] {
  const names = texts(body, 'alias', 'aliases');
  if (names.length === 0) throw illegalArgument(`One of [alias] or [aliases] is required for [${action}]`);
  return names;
}

/** One text under the first name, or a list under either. */
function texts(body: JsonObject, one: string, many: string): readonly string[] {
  if (body[one] !== undefined && body[many] !== undefined) {
    throw illegalArgument(`Only one of [${one}] and [${many}] is supported`);
  }
  const value = body[one] ?? body[many];
  if (value === undefined) return [];
  const items = (Array.isArray(value) ? value : [value]) as readonly JsonValue[];
  return items.map((item) => {
    if (typeof item !== 'string' || item === '') throw illegalArgument(`[${one}] can't be empty string`);
    return item;
  });
}

function badAction(reason: string): QuarryError {
  return new QuarryError('x_content_parse_exception', reason);
}
