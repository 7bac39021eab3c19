/** `_security/service`: accounts of programs, and their tokens. */
import { serviceTokenValue } from '../../actions/security/service-token.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { newId } from '../../base/random.js';
import { hashSecret, newSecret } from '../../base/secrets.js';
import { SERVICE_ACCOUNTS } from '../../cluster/security/service-accounts.js';
import { answerValue } from '../answer.js';
import { nodesHeader } from '../cluster/nodes/nodes-header.js';
import { defineEndpoint } from '../endpoint.js';
import { refreshParameters, SECURITY_ENDPOINT } from './common.js';

const SERVICE = 'cluster:admin/xpack/security/service_account';
const TOKEN_NAME = /^[A-Za-z0-9-][\w-]{0,255}$/;
const ACCOUNT = '/_security/service/{namespace}/{service}';

export const getServiceAccountsEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.get_service_accounts',
  action: `${SERVICE}/get`,
  methods: ['GET'],
  paths: ['/_security/service', '/_security/service/{namespace}', ACCOUNT],
  parameters: {},
  body: 'none',
  handle({ parts }) {
    const prefix = [parts.namespace, parts.service].filter((part) => part !== undefined).join('/');
    const found = [...SERVICE_ACCOUNTS].filter(
      ([account]) =>
        prefix === '' || account === prefix || (parts.service === undefined && account.startsWith(`${prefix}/`)),
    );
    return answerValue(Object.fromEntries(found.map(([account, role]) => [account, { role_descriptor: role }])));
  },
});

export const serviceCredentialsEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.get_service_credentials',
  action: `${SERVICE}/credential/get`,
  methods: ['GET'],
  paths: [`${ACCOUNT}/credential`],
  parameters: {},
  body: 'none',
  handle({ parts: { namespace, service } }, context) {
    const account = `${namespace}/${service}`;
    const names = [...context.clusterState().serviceTokens.keys()]
      .filter((key) => key.startsWith(`${account}/`))
      .map((key) => key.slice(account.length + 1));
    return answerValue({
      service_account: account,
      count: names.length,
      tokens: Object.fromEntries(names.map((name) => [name, {}])),
      nodes_credentials: { ...nodesHeader(context.clusterState().nodes.size, []), file_tokens: {} },
    });
  },
});

export const createServiceTokenEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.create_service_token',
  action: `${SERVICE}/token/create`,
  methods: ['PUT', 'POST'],
  paths: [`${ACCOUNT}/credential/token/{name}`, `${ACCOUNT}/credential/token`],
  parameters: refreshParameters,
  body: 'none',
  async handle({ parts }, context) {
    const account = `${parts.namespace}/${parts.service}`;
    const name = parts.name ?? `token_${newId(context.random)}`;
    if (!SERVICE_ACCOUNTS.has(account)) {
      throw new QuarryError('resource_not_found_exception', `service account [${account}] does not exist`);
    }
    if (!TOKEN_NAME.test(name)) {
      throw illegalArgument(
        `service account token name [${name}] must have 1 to 256 characters of [A-Za-z0-9_-] and not begin with [_]`,
      );
    }
    const secret = newSecret(context.random);
    const key = `${account}/${name}`;
    await context.coordinator.submit('create-service-token', { key, token: { secretHash: hashSecret(secret) } });
    return answerValue({ created: true, token: { name, value: serviceTokenValue(key, secret) } });
  },
});

export const deleteServiceTokenEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.delete_service_token',
  action: `${SERVICE}/token/delete`,
  methods: ['DELETE'],
  paths: [`${ACCOUNT}/credential/token/{name}`],
  parameters: refreshParameters,
  body: 'none',
  async handle({ parts: { namespace, service, name } }, context) {
    const result = await context.coordinator.submit('delete-service-token', { key: `${namespace}/${service}/${name}` });
    return answerValue(result, result.found ? 200 : 404);
  },
});
