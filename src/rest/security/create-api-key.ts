/** `_security/api_key`: keys are made, for oneself or for somebody whose credentials one has. */
import type { ActionContext } from '../../actions/context.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { newId } from '../../base/random.js';
import { hashSecret, newSecret } from '../../base/secrets.js';
import type { ApiKey, ApiKeyOwner } from '../../cluster/security/security-state.js';
import type { Subject } from '../../cluster/security/subject.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { BodyMembers, metadataFaults } from './body-members.js';
import { refreshParameters, refuseInvalid, SECURITY_ENDPOINT, sender } from './common.js';
import { checkDerived, limitedBy, readRoleDescriptors } from './limited-by.js';

const NAME_LENGTH_MAX = 256;
const API_KEY = 'cluster:admin/xpack/security/api_key';

export const createApiKeyEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.create_api_key',
  // Of the caller's own, always.
  action: { name: `${API_KEY}/create`, of: () => `${API_KEY}/own/create` },
  methods: ['PUT', 'POST'],
  paths: ['/_security/api_key'],
  parameters: refreshParameters,
  body: 'json',
  async handle({ body }, context) {
    const subject = sender(context);
    return answerValue(await createFor(subject, readKey(body.requireObject()), context));
  },
});

export const grantApiKeyEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.grant_api_key',
  action: `${API_KEY}/grant`,
  methods: ['POST'],
  paths: ['/_security/api_key/grant'],
  parameters: refreshParameters,
  body: 'json',
  async handle({ body, rawPath }, context) {
    const members = new BodyMembers(body.requireObject(), 'grant api key request');
    const grantType = members.requiredString('grant_type');
    const [username, password, runAs] = ['username', 'password', 'run_as'].map((name) => members.string(name));
    const token = members.string('access_token');
    const key = members.object('api_key');
    members.end();
    if (runAs !== undefined)
      throw illegalArgument('[run_as] of a grant is not supported: send [es-security-runas-user]');
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
  },
});

interface ReadKey extends Pick<ApiKey, 'metadata'> {
  readonly name: string;
  readonly lifetimeMs: number | undefined;
  readonly roleDescriptors: ReturnType<typeof readRoleDescriptors>;
}

function readKey(body: JsonObject): ReadKey {
  const members = new BodyMembers(body, 'create api key request');
  const name = members.string('name') ?? '';
  const lifetimeMs = members.time('expiration');
  const roleDescriptors = readRoleDescriptors(members.object('role_descriptors'));
  const metadata = members.object('metadata') ?? {};
  const type = members.string('type') ?? 'rest';
  members.end();
  if (type !== 'rest') throw illegalArgument(`API keys of type [${type}] are not supported`);
  refuseInvalid(
    [
      ...(name === '' ? ['api key name is required'] : []),
      ...(name.length > NAME_LENGTH_MAX
        ? [`api key name may not be more than ${NAME_LENGTH_MAX} characters long`]
        : []),
      ...(name !== name.trim() ? ['api key name may not begin or end with whitespace'] : []),
      ...(name.startsWith('_') ? ['api key name may not begin with an underscore'] : []),
      ...(lifetimeMs !== undefined && lifetimeMs <= 0 ? ['api key expiration must be more than zero'] : []),
      ...metadataFaults(metadata),
    ],
    'action_request_validation_exception',
  );
  return { name, lifetimeMs, roleDescriptors, metadata };
}

async function createFor(subject: Subject, read: ReadKey, context: ActionContext): Promise<JsonObject> {
  const { name, lifetimeMs, roleDescriptors = {}, metadata } = read;
  checkDerived(subject, read.roleDescriptors);
  const { clock, random, coordinator } = context;
  const id = newId(random);
  const secret = newSecret(random);
  const createdAtMs = clock.nowMs();
  const expiry = lifetimeMs === undefined ? {} : { expiresAtMs: createdAtMs + lifetimeMs };
  const key: ApiKey = {
    name,
    secretHash: hashSecret(secret),
    createdAtMs,
    ...expiry,
    owner: ownerOf(subject),
    roleDescriptors,
    limitedBy: limitedBy(context.clusterState(), subject),
    metadata,
  };
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
