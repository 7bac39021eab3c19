/** API keys are updated by their owners, and invalidated. */
import type { ActionContext } from '../../actions/context.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import type { ApiKeyUpdate } from '../../cluster/changes/security/api-keys.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { BodyMembers, metadataFaults } from './body-members.js';
import { refreshParameters, refuseInvalid, SECURITY_ENDPOINT, sender } from './common.js';
import { ownerOf } from './create-api-key.js';
import { checkSelection, isOf, selectKeys } from './get-api-keys.js';
import { limitedBy, readRoleDescriptors } from './limited-by.js';

const API_KEY = 'cluster:admin/xpack/security/api_key';
const IDS_MAX = 10_000;

export const updateApiKeyEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.update_api_key',
  action: { name: `${API_KEY}/update`, of: () => `${API_KEY}/own/update` },
  methods: ['PUT'],
  paths: ['/_security/api_key/{id}'],
  parameters: refreshParameters,
  body: 'json',
  async handle({ parts: { id }, body }, context) {
    const members = new BodyMembers(body.object() ?? {}, 'update api key request');
    const update = readUpdate(members, context);
    members.end();
    const fault = updateFault(id, context);
    if (fault !== undefined) throw fault;
    const { updated } = await context.coordinator.submit('update-api-keys', { ids: [id], update });
    return answerValue({ updated: updated.length > 0 });
  },
});

export const bulkUpdateApiKeysEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.bulk_update_api_keys',
  action: { name: `${API_KEY}/bulk_update`, of: () => `${API_KEY}/own/update` },
  methods: ['POST'],
  paths: ['/_security/api_key/_bulk_update'],
  parameters: refreshParameters,
  body: 'json',
  async handle({ body }, context) {
    const members = new BodyMembers(body.requireObject(), 'bulk update api keys request');
    const ids = members.strings('ids') ?? [];
    const update = readUpdate(members, context);
    members.end();
    refuseInvalid(ids.length === 0 ? ['Field [ids] cannot be empty'] : [], 'action_request_validation_exception');
    if (ids.length > IDS_MAX) throw illegalArgument(`[ids] has [${ids.length}] items, more than [${IDS_MAX}]`);
    const faults = ids.map((id) => [id, updateFault(id, context)] as const);
    const good = faults.filter(([, fault]) => fault === undefined).map(([id]) => id);
    const bad = faults.flatMap(([id, fault]) => (fault === undefined ? [] : [[id, fault] as const]));
    const { updated, noops } = await context.coordinator.submit('update-api-keys', { ids: [...new Set(good)], update });
    const errors = {
      count: bad.length,
      details: Object.fromEntries(bad.map(([id, { type, message }]) => [id, { type, reason: message }])),
    };
    return answerValue({ updated, noops, ...(bad.length === 0 ? {} : { errors }) });
  },
});

export const invalidateApiKeyEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.invalidate_api_key',
  action: {
    name: `${API_KEY}/invalidate`,
    of: ({ body }) => (isOwnOnly(body.object()?.['owner']) ? `${API_KEY}/own/invalidate` : `${API_KEY}/invalidate`),
  },
  methods: ['DELETE'],
  paths: ['/_security/api_key'],
  parameters: {},
  body: 'json',
  async handle({ body }, context) {
    const members = new BodyMembers(body.requireObject(), 'invalidate api key request');
    const id = members.string('id');
    const ids = members.strings('ids') ?? (id === undefined ? undefined : [id]);
    const name = members.string('name');
    const username = members.string('username');
    const realmName = members.string('realm_name');
    const owner = isOwnOnly(members.value('owner'));
    members.end();
    if (ids === undefined && name === undefined && username === undefined && realmName === undefined && !owner) {
      const reason =
        'One of [api key id(s), api key name, username, realm name] must be specified if [owner] flag is false';
      refuseInvalid([reason], 'action_request_validation_exception');
    }
    const selection = { ids, name, username, realmName, owner };
    checkSelection(selection);
    const found = selectKeys(context.clusterState(), selection, sender(context)).map(([each]) => each);
    const { invalidated, previously } = await context.coordinator.submit('invalidate-api-keys', { ids: found });
    return answerValue({
      invalidated_api_keys: invalidated,
      previously_invalidated_api_keys: previously,
      error_count: 0,
    });
  },
});

/** The reference's clients send it as a text too. */
function isOwnOnly(value: unknown): boolean {
  return value === true || value === 'true';
}

function readUpdate(members: BodyMembers, context: ActionContext): ApiKeyUpdate {
  const subject = sender(context);
  if (subject.apiKey !== undefined) {
    throw illegalArgument('authentication via API key not supported: only the owner user can update an API key');
  }
  const roleDescriptors = readRoleDescriptors(members.object('role_descriptors'));
  const metadata = members.object('metadata');
  const lifetimeMs = members.time('expiration');
  refuseInvalid(
    [
      ...metadataFaults(metadata ?? {}),
      ...(lifetimeMs !== undefined && lifetimeMs <= 0 ? ['api key expiration must be more than zero'] : []),
    ],
    'action_request_validation_exception',
  );
  return {
    limitedBy: limitedBy(context.clusterState(), subject),
    owner: ownerOf(subject),
    ...(roleDescriptors === undefined ? {} : { roleDescriptors }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(lifetimeMs === undefined ? {} : { expiresAtMs: context.clock.nowMs() + lifetimeMs }),
  };
}

/** Keys of others are as good as none. */
function updateFault(id: string, context: ActionContext): QuarryError | undefined {
  const key = context.clusterState().apiKeys.get(id);
  if (key === undefined || !isOf(key, ownerOf(sender(context)))) {
    return new QuarryError('resource_not_found_exception', `no API key owned by requesting user found for ID [${id}]`);
  }
  if (key.invalidatedAtMs !== undefined) return illegalArgument(`cannot update invalidated API key [${id}]`);
  const isExpired = (key.expiresAtMs ?? Infinity) <= context.clock.nowMs();
  return isExpired ? illegalArgument(`cannot update expired API key [${id}]`) : undefined;
}
