/** Users, roles and API keys that a query finds. */
import { must } from '../../../base/assert.js';
import type { ActionContext } from '../../../actions/context.js';
import type { JsonObject } from '../../../base/json-value.js';
import { RESERVED_USERS } from '../../../cluster/security/realms.js';
import { withoutParcel } from '../../../cluster/security/enrolment.js';
import type { RoleDescriptor } from '../../../cluster/security/role-descriptor.js';
import type { ApiKey, SecurityState } from '../../../cluster/security/security-state.js';
import { answerValue, type RestAnswer } from '../../answer.js';
import type { RestRequest } from '../../endpoint.js';
import { ownerOf } from '../api-keys/create-keys.js';
import { isOf, renderKey } from '../api-keys/select-keys.js';
import { BodyMembers } from '../body-members.js';
import { sender } from '../common.js';
import { authorityOfSender } from '../privileges/sender.js';
import { renderUser } from '../user.js';
import { aggregateRecords } from './record-aggregations.js';
import { date, flag, flattened, keyword, text, type RecordField, type RecordFields } from './record-fields.js';
import { pageOf, readPage, type PagedItem } from './record-page.js';
import { recordQuery } from './record-query.js';

type QueryRequest<Parameters = unknown> = Pick<RestRequest, 'body'> & { readonly parameters: Parameters };

type UserItem = readonly [name: string, user: ReturnType<typeof shownUser>];

/** Of native and of reserved users. */
export function queryUsers(
  { body, parameters }: QueryRequest<{ readonly with_profile_uid: boolean }>,
  context: ActionContext,
): RestAnswer {
  const state = context.clusterState();
  const names = [...RESERVED_USERS.keys(), ...state.users.keys()];
  const items = names.map((name): UserItem => [name, shownUser(name, state, parameters.with_profile_uid)]);
  const { found, page } = search(
    new BodyMembers(body.object() ?? {}, 'query user request'),
    items,
    USER_FIELDS,
    context,
  );
  const users = page.map(({ item: [, user], sort }) => ({ ...user, ...sorted(sort) }));
  return answerValue({ total: found.length, count: users.length, users });
}

function shownUser(name: string, state: SecurityState, withProfile: boolean): JsonObject {
  return must(renderUser(name, state, withProfile), 'a user that is listed');
}

const USERS: Readonly<Record<string, RecordField<UserItem>>> = {
  username: keyword(([name]) => name),
  roles: keyword(([, user]) => user['roles'] as readonly string[]),
  full_name: text(([, user]) => user['full_name'] as string | null),
  email: text(([, user]) => user['email'] as string | null),
  enabled: flag(([, user]) => user['enabled'] === true),
};

const USER_FIELDS: RecordFields<UserItem> = {
  id: ([name]) => name,
  field: (name) => (Object.hasOwn(USERS, name) ? USERS[name] : undefined),
  usual: ['username', 'roles', 'full_name', 'email'],
};

type RoleItem = readonly [name: string, role: RoleDescriptor];

/** Of roles that are not built in. */
export function queryRoles({ body }: QueryRequest, context: ActionContext): RestAnswer {
  const members = new BodyMembers(body.object() ?? {}, 'query role request');
  const { found, page } = search(members, [...context.clusterState().roles], ROLE_FIELDS, context);
  const roles = page.map(({ item: [name, role], sort }) => ({
    name,
    ...(role as unknown as JsonObject),
    ...sorted(sort),
  }));
  return answerValue({ total: found.length, count: roles.length, roles });
}

const ROLES: Readonly<Record<string, RecordField<RoleItem>>> = {
  name: keyword(([name]) => name),
  description: text(([, { description }]) => description),
  'applications.application': keyword(([, { applications }]) => applications.map(({ application }) => application)),
  'applications.privileges': keyword(([, { applications }]) => applications.flatMap(({ privileges }) => privileges)),
  'applications.resources': keyword(([, { applications }]) => applications.flatMap(({ resources }) => resources)),
};

const ROLE_FIELDS: RecordFields<RoleItem> = {
  id: ([name]) => name,
  field: (name) =>
    Object.hasOwn(ROLES, name) ? ROLES[name] : flattened('metadata', name, ([, { metadata }]) => metadata),
  usual: ['name', 'description'],
};

type KeyItem = readonly [id: string, key: ApiKey];

interface KeyParameters {
  readonly with_limited_by: boolean;
  readonly with_profile_uid: boolean;
  readonly typed_keys: boolean;
}

export function queryApiKeys({ body, parameters }: QueryRequest<KeyParameters>, context: ActionContext): RestAnswer {
  const state = context.clusterState();
  const members = new BodyMembers(body.object() ?? {}, 'query api key request');
  const aggs = members.value('aggs');
  const aggregations = members.value('aggregations') ?? aggs;
  const { found, page } = search(members, visibleKeys(context), KEY_FIELDS, context);
  const isTyped = parameters.typed_keys;
  const aggregated = aggregateRecords(aggregations, found, {
    fields: KEY_FIELDS,
    nowMs: context.clock.nowMs(),
    isTyped,
  });
  const shown = { withLimits: parameters.with_limited_by, withProfiles: parameters.with_profile_uid };
  const keys = page.map(({ item: [id, key], sort }) => ({ ...renderKey(id, key, shown, state), ...sorted(sort) }));
  return answerValue({
    total: found.length,
    count: keys.length,
    api_keys: keys,
    ...(aggregated === undefined ? {} : { aggregations: aggregated }),
  });
}

/** Who may not see those of others sees his own; an API key sees itself alone. */
function visibleKeys(context: ActionContext): readonly KeyItem[] {
  const all = [...context.clusterState().apiKeys];
  const { permissions } = authorityOfSender(context);
  if (permissions.allowsCluster('cluster:admin/xpack/security/api_key/query')) return all;
  const subject = sender(context);
  if (subject.apiKey !== undefined) return all.filter(([id]) => id === subject.apiKey?.id);
  const own = ownerOf(subject);
  return all.filter(([, key]) => isOf(key, own));
}

const KEYS: Readonly<Record<string, RecordField<KeyItem>>> = {
  id: keyword(([id]) => id),
  type: keyword(() => 'rest'),
  name: keyword(([, { name }]) => name),
  creation: date(([, { createdAtMs }]) => createdAtMs),
  expiration: date(([, { expiresAtMs }]) => expiresAtMs),
  invalidated: flag(([, { invalidatedAtMs }]) => invalidatedAtMs !== undefined),
  invalidation: date(([, { invalidatedAtMs }]) => invalidatedAtMs),
  username: keyword(([, { owner }]) => owner.username),
  realm: keyword(([, { owner }]) => owner.realm.name),
};

const KEY_FIELDS: RecordFields<KeyItem> = {
  id: ([id]) => id,
  field: (name) =>
    Object.hasOwn(KEYS, name) ? KEYS[name] : flattened('metadata', name, ([, { metadata }]) => withoutParcel(metadata)),
  usual: ['id', 'name', 'username', 'realm', 'metadata'],
};

function search<Item>(
  members: BodyMembers,
  items: readonly Item[],
  fields: RecordFields<Item>,
  { clock }: ActionContext,
): { readonly found: readonly Item[]; readonly page: readonly PagedItem<Item>[] } {
  const nowMs = clock.nowMs();
  const matches = recordQuery(members.value('query'), fields, nowMs);
  const page = readPage(members, fields, nowMs);
  members.end();
  const found = items.filter(matches);
  return { found, page: pageOf(found, page) };
}

function sorted(sort: PagedItem<unknown>['sort']): JsonObject {
  return sort === undefined ? {} : { _sort: sort };
}
