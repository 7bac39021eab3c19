/** `POST _aliases`: several additions and removals at once. */
import type { ActionContext } from '../../actions/context.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import { parseAlias } from '../../cluster/alias-body.js';
import type { AliasAction } from '../../cluster/changes/update-aliases.js';
import { resolveDateMathName } from '../../cluster/date-math-name.js';
import type { IndexMetadata } from '../../cluster/state.js';
import { answerAcknowledged } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { acknowledgedParameters } from '../parameters.js';
import { aliasesMissing, removals } from './delete-alias.js';
import { masterTimeoutMs, namedIndices } from './index-names.js';
import { ALIASED } from './put-alias.js';

export const updateAliasesEndpoint = defineEndpoint({
  name: 'indices.update_aliases',
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
    const actions = (list as readonly JsonValue[]).flatMap((action) => readAction(context, action));
    const timeoutMs = masterTimeoutMs(parameters, request.sentParameters);
    await context.coordinator.submit('update-aliases', { actions }, { timeoutMs });
    return answerAcknowledged();
  },
});

function readAction(context: ActionContext, action: JsonValue): readonly AliasAction[] {
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
      return namedBy(context, body, 'remove_index').map(({ name, uuid }) => ({
        kind: 'remove_index',
        index: { name, uuid },
      }));
    default:
      throw badAction(`[alias_action] unknown field [${kind}]`);
  }
}

function readAdd(context: ActionContext, body: JsonObject): readonly AliasAction[] {
  const { index: _index, indices: _indices, alias: _alias, aliases: _aliases, must_exist, ...rest } = body;
  if (must_exist !== undefined) throw illegalArgument('[must_exist] is unsupported for [ADD]');
  const names = aliasNames(body, 'add');
  return namedBy(context, body, 'add').flatMap(({ name, uuid }) =>
    names.map((alias) => ({
      kind: 'add' as const,
      index: { name, uuid },
      alias: resolveDateMathName(alias, context.clock.nowMs()),
      metadata: parseAlias(rest, alias),
    })),
  );
}

function readRemove(context: ActionContext, body: JsonObject): readonly AliasAction[] {
  const { index: _index, indices: _indices, alias: _alias, aliases: _aliases, must_exist, ...rest } = body;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw illegalArgument(`[${unknown}] is unsupported for [REMOVE]`);
  const names = aliasNames(body, 'remove');
  const actions = removals(namedBy(context, body, 'remove'), names);
  if (actions.length === 0 && must_exist !== false) throw aliasesMissing(names);
  return actions;
}

function namedBy(context: ActionContext, body: JsonObject, action: string): readonly IndexMetadata[] {
  const names = texts(body, 'index', 'indices');
  if (names.length === 0) throw illegalArgument(`One of [index] or [indices] is required for [${action}]`);
  return namedIndices(context, names.join(','), ALIASED, {});
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
