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

/** Of `POST _security/api_key/clone`: another key of the same owner, with the same rights. */
export async function cloneKey({ body, rawPath }: KeyRequest, context: ActionContext): Promise<RestAnswer> {
  const members = new BodyMembers(body.requireObject(), 'clone api key request');
  const encoded = members.requiredString('api_key');
  const { name, lifetimeMs, metadata: given } = readCommon(members);
  members.end();
  const { apiKey } = await context.security.authenticateHeader(`ApiKey ${encoded}`, rawPath);
  const source = apiKey === undefined ? undefined : context.clusterState().apiKeys.get(apiKey.id);
  if (source === undefined) throw illegalArgument('[api_key] is not the credential of an API key');
  if (nodeEnrolment(source.metadata) !== undefined) {
    throw illegalArgument('[api_key] is of an enrolment token, which works once: it cannot be cloned');
  }
  const { owner, roleDescriptors, limitedBy: limits, metadata } = source;
  const copied = { owner, roleDescriptors, limitedBy: limits, metadata: given ?? metadata };
  return answerValue(await keep(name, lifetimeMs, copied, context));
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
  const { name, lifetimeMs, metadata = {} } = readCommon(members);
  members.end();
  if (type !== 'rest') throw illegalArgument(`API keys of type [${type}] are not supported`);
  return { name, lifetimeMs, roleDescriptors, metadata };
}

function readCommon(members: BodyMembers): Pick<ReadKey, 'name' | 'lifetimeMs'> & { metadata: JsonObject | undefined } {
  const name = members.string('name') ?? '';
  const lifetimeMs = members.time('expiration');
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
  return { name, lifetimeMs, metadata };
}

async function createFor(subject: Subject, read: ReadKey, context: ActionContext): Promise<JsonObject> {
  const { name, lifetimeMs, roleDescriptors = {}, metadata } = read;
  checkDerived(subject, read.roleDescriptors);
  const limits = limitedBy(context.clusterState(), subject);
  return keep(name, lifetimeMs, { owner: ownerOf(subject), roleDescriptors, limitedBy: limits, metadata }, context);
}

async function keep(
  name: string,
  lifetimeMs: number | undefined,
  rights: Pick<ApiKey, 'owner' | 'roleDescriptors' | 'limitedBy' | 'metadata'>,
  { clock, random, coordinator }: ActionContext,
): Promise<JsonObject> {
  const id = newId(random);
  const secret = newSecret(random);
  const createdAtMs = clock.nowMs();
  const expiry = lifetimeMs === undefined ? {} : { expiresAtMs: createdAtMs + lifetimeMs };
  const key: ApiKey = { name, secretHash: hashSecret(secret), createdAtMs, ...expiry, ...rights };
  await coordinator.submit('create-api-key', { id, key });
  return {
    id,
    name,
    ...(lifetimeMs === undefined ? {} : { expiration: createdAtMs + lifetimeMs }),
    api_key: secret,
    encoded: Buffer.from(`${id}:${secret}`, 'utf8').toString('base64'),
  };
}

/** Keys that a key makes are its owner's. */
export function ownerOf({
  username,
  fullName,
  email,
  metadata,
  apiKey,
  lookupRealm,
  authenticationRealm,
}: Subject): ApiKeyOwner {
  const realm = apiKey?.ownerRealm ?? lookupRealm ?? authenticationRealm;
  return { username, realm, fullName, email, metadata };
}
