/** API keys are updated by their owners, and invalidated. */
import type { ActionContext } from '../../../actions/context.js';
import { illegalArgument, QuarryError } from '../../../base/errors.js';
import type { ApiKeyUpdate } from '../../../cluster/changes/security/api-keys.js';
import { answerValue, type RestAnswer } from '../../answer.js';
import type { RestRequest } from '../../endpoint.js';
import { BodyMembers, metadataFaults } from '../body-members.js';
import { refuseInvalid, sender } from '../common.js';
import { ownerOf } from './create-keys.js';
import { isOwnOnly } from './own-only.js';
import { checkSelection, isOf, selectKeys } from './select-keys.js';
import { limitedBy, readRoleDescriptors } from './limited-by.js';

const IDS_MAX = 10_000;

type KeyRequest = Pick<RestRequest, 'body'>;

/** Of `PUT _security/api_key/{id}`. */
export async function updateKey(id: string, { body }: KeyRequest, context: ActionContext): Promise<RestAnswer> {
  const members = new BodyMembers(body.object() ?? {}, 'update api key request');
  const update = readUpdate(members, context);
  members.end();
  const fault = updateFault(id, context);
  if (fault !== undefined) throw fault;
  const { updated } = await context.coordinator.submit('update-api-keys', { ids: [id], update });
  return answerValue({ updated: updated.length > 0 });
}

/** Of `POST _security/api_key/_bulk_update`. */
export async function updateKeys({ body }: KeyRequest, context: ActionContext): Promise<RestAnswer> {
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
}

/** Of `DELETE _security/api_key`. */
export async function invalidateKeys({ body }: KeyRequest, context: ActionContext): Promise<RestAnswer> {
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
