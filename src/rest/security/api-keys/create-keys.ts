/** `_security/api_key`: keys are made, for oneself or for somebody whose credentials one has. */
import type { ActionContext } from '../../../actions/context.js';
import { illegalArgument, QuarryError } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { newId } from '../../../base/random.js';
import { hashSecret, newSecret } from '../../../base/secrets.js';
import { nodeEnrolment } from '../../../cluster/security/enrolment.js';
import type { ApiKey, ApiKeyOwner } from '../../../cluster/security/security-state.js';
import type { Subject } from '../../../cluster/security/subject.js';
import { answerValue, type RestAnswer } from '../../answer.js';
import type { RestRequest } from '../../endpoint.js';
import { BodyMembers, metadataFaults } from '../body-members.js';
import { refuseInvalid, sender } from '../common.js';
import { checkDerived, limitedBy, readRoleDescriptors } from './limited-by.js';
import { realmOfKeys } from './own-only.js';

const NAME_LENGTH_MAX = 256;

type KeyRequest = Pick<RestRequest, 'body' | 'rawPath'>;

/** Of `POST _security/api_key`. */
export async function createKey({ body }: KeyRequest, context: ActionContext): Promise<RestAnswer> {
  return answerValue(await createFor(sender(context), readKey(body.requireObject()), context));
}

/** Of `POST _security/api_key/grant`. */
export async function grantKey({ body, rawPath }: KeyRequest, context: ActionContext): Promise<RestAnswer> {
  const members = new BodyMembers(body.requireObject(), 'grant api key request');
  const grantType = members.requiredString('grant_type');
  const [username, password, runAs] = ['username', 'password', 'run_as'].map((name) => members.string(name));
  const token = members.string('access_token');
  const key = members.object('api_key');
  members.end();
  if (runAs !== undefined) throw illegalArgument('[run_as] of a grant is not supported: send [es-security-runas-user]');
  if (key === undefined)
    throw new QuarryError('parse_exception', 'failed to parse grant api key request. [api_key] is required');
  if (grantType !== 'password' && grantType !== 'access_token') {
    throw illegalArgument(`grant type [${grantType}] is not supported`);
  }
  const read = readKey(key);
  if (grantType === 'access_token') {
    if (token === undefined || username !== undefined || password !== undefined) {
      throw illegalArgument('[access_token] alone is required for grant_type [access_token]');
    }
    const owner = await context.security.authenticateHeader(`Bearer ${token}`, rawPath);
    return answerValue(await createFor(owner, read, context));
  }
  if (username === undefined || password === undefined || token !== undefined) {
    throw illegalArgument('[username] and [password] alone are required for grant_type [password]');
  }
  const owner = await context.security.authenticate(username, password, rawPath);
  return answerValue(await createFor(owner, read, context));
}

/**
 * Of `POST _security/api_key/clone`: another key of the same owner, with the same rights. It ends with the one that it is made of, unless another
 * `expiration` is given; null: never.
 */
export async function cloneKey({ body, rawPath }: KeyRequest, context: ActionContext): Promise<RestAnswer> {
  const members = new BodyMembers(body.requireObject(), 'clone api key request');
  const encoded = members.requiredString('api_key');
  const lifetimeMs = members.timeOrNull('expiration');
  const { name, metadata: given } = readCommon(members, lifetimeMs ?? undefined);
  members.end();
  const { apiKey } = await context.security.authenticateHeader(`ApiKey ${encoded}`, rawPath);
  const source = apiKey === undefined ? undefined : context.clusterState().apiKeys.get(apiKey.id);
  if (source === undefined) throw illegalArgument('[api_key] is not the credential of an API key');
  if (nodeEnrolment(source.metadata) !== undefined) {
    throw illegalArgument('[api_key] is of an enrolment token, which works once: it cannot be cloned');
  }
  const { owner, roleDescriptors, limitedBy: limits, metadata } = source;
  const copied = { owner, roleDescriptors, limitedBy: limits, metadata: given ?? metadata };
  const times = timesOf(lifetimeMs ?? undefined, context);
  const copiedTimes = lifetimeMs === undefined ? { ...times, expiresAtMs: source.expiresAtMs } : times;
  return answerValue(await keep(name, copiedTimes, copied, context));
}

interface ReadKey extends Pick<ApiKey, 'metadata'> {
  readonly name: string;
  readonly lifetimeMs: number | undefined;
  readonly roleDescriptors: ReturnType<typeof readRoleDescriptors>;
}

function readKey(body: JsonObject): ReadKey {
  const members = new BodyMembers(body, 'create api key request');
  const roleDescriptors = readRoleDescriptors(members.object('role_descriptors'));
  const type = members.string('type') ?? 'rest';
  const lifetimeMs = members.time('expiration');
  const { name, metadata = {} } = readCommon(members, lifetimeMs);
  members.end();
  if (type !== 'rest') throw illegalArgument(`API keys of type [${type}] are not supported`);
  return { name, lifetimeMs, roleDescriptors, metadata };
}

/** `lifetimeMs`: what `expiration` says. */
function readCommon(
  members: BodyMembers,
  lifetimeMs: number | undefined,
): Pick<ReadKey, 'name'> & { metadata: JsonObject | undefined } {
  const name = members.string('name') ?? '';
  const metadata = members.object('metadata');
  refuseInvalid(
    [
      ...(name === '' ? ['api key name is required'] : []),
      ...(name.length > NAME_LENGTH_MAX
        ? [`api key name may not be more than ${NAME_LENGTH_MAX} characters long`]
        : []),
      ...(name !== name.trim() ? ['api key name may not begin or end with whitespace'] : []),
      ...(name.startsWith('_') ? ['api key name may not begin with an underscore'] : []),
      ...(lifetimeMs !== undefined && lifetimeMs <= 0 ? ['api key expiration must be more than zero'] : []),
      ...metadataFaults(metadata ?? {}),
    ],
    'action_request_validation_exception',
  );
  return { name, metadata };
}

async function createFor(subject: Subject, read: ReadKey, context: ActionContext): Promise<JsonObject> {
  const { name, lifetimeMs, roleDescriptors = {}, metadata } = read;
  checkDerived(subject, read.roleDescriptors);
  const limits = limitedBy(context.clusterState(), subject);
  const rights = { owner: ownerOf(subject), roleDescriptors, limitedBy: limits, metadata };
  return keep(name, timesOf(lifetimeMs, context), rights, context);
}

interface Times {
  readonly createdAtMs: number;
  readonly expiresAtMs: number | undefined;
}

function timesOf(lifetimeMs: number | undefined, { clock }: ActionContext): Times {
  const createdAtMs = clock.nowMs();
  return { createdAtMs, expiresAtMs: lifetimeMs === undefined ? undefined : createdAtMs + lifetimeMs };
}

async function keep(
  name: string,
  { createdAtMs, expiresAtMs }: Times,
  rights: Pick<ApiKey, 'owner' | 'roleDescriptors' | 'limitedBy' | 'metadata'>,
  { random, coordinator }: ActionContext,
): Promise<JsonObject> {
  const id = newId(random);
  const secret = newSecret(random);
  const expiry = expiresAtMs === undefined ? {} : { expiresAtMs };
  const key: ApiKey = { name, secretHash: hashSecret(secret), createdAtMs, ...expiry, ...rights };
  await coordinator.submit('create-api-key', { id, key });
  return {
    id,
    name,
    ...(expiresAtMs === undefined ? {} : { expiration: expiresAtMs }),
    api_key: secret,
    encoded: Buffer.from(`${id}:${secret}`, 'utf8').toString('base64'),
  };
}

/** Keys that a key makes are its owner's. */
export function ownerOf(subject: Subject): ApiKeyOwner {
  const { username, fullName, email, metadata } = subject;
  return { username, realm: realmOfKeys(subject), fullName, email, metadata };
}
