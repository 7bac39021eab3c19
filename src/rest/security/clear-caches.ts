/** Caches of authentication: they follow changes by themselves, and can be emptied all the same. */
import type { ActionContext } from '../../actions/context.js';
import { asQuarryError } from '../../base/error-wire.js';
import type { QuarryError } from '../../base/errors.js';
import { answerValue, type RestAnswer } from '../answer.js';
import { nodesHeader } from '../cluster/nodes/nodes-header.js';
import { defineEndpoint } from '../endpoint.js';
import { listParameter, splitList } from '../parameters.js';
import { SECURITY_ENDPOINT } from './common.js';

const ASK_MS_MAX = 30_000;

export const clearRealmCacheEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.clear_cached_realms',
  action: 'cluster:admin/xpack/security/realm/cache/clear',
  methods: ['POST'],
  paths: ['/_security/realm/{realms}/_clear_cache'],
  parameters: { usernames: listParameter() },
  body: 'none',
  handle: ({ parts, parameters }, context) => clearOnNodes(namesOf(parts.realms), parameters.usernames ?? [], context),
});

/** Keys are compared with the newest state at each request: nothing of them is kept that could be old. */
export const clearApiKeyCacheEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.clear_api_key_cache',
  action: 'cluster:admin/xpack/security/cache/clear',
  methods: ['POST'],
  paths: ['/_security/api_key/{ids}/_clear_cache'],
  parameters: {},
  body: 'none',
  handle: (_request, context) => clearOnNodes(['_es_api_key'], [], context),
});

export const clearRoleCacheEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.clear_cached_roles',
  action: 'cluster:admin/xpack/security/roles/cache/clear',
  methods: ['PUT', 'POST'],
  paths: ['/_security/role/{name}/_clear_cache'],
  parameters: {},
  body: 'none',
  handle: (_request, context) => clearOnNodes([], [], context),
});

export const clearServiceTokenCacheEndpoint = defineEndpoint({
  ...SECURITY_ENDPOINT,
  name: 'security.clear_cached_service_tokens',
  action: 'cluster:admin/xpack/security/cache/clear',
  methods: ['POST'],
  paths: ['/_security/service/{namespace}/{service}/credential/token/{name}/_clear_cache'],
  parameters: {},
  body: 'none',
  handle: (_request, context) => clearOnNodes(['_service_account'], [], context),
});

function namesOf(text: string): readonly string[] {
  const names = splitList(text);
  return names.includes('*') || names.includes('_all') ? [] : names;
}

async function clearOnNodes(
  realms: readonly string[],
  usernames: readonly string[],
  { clusterState, nodes }: ActionContext,
): Promise<RestAnswer> {
  const state = clusterState();
  const failures: QuarryError[] = [];
  const cleared: [string, { name: string }][] = [];
  await Promise.all(
    [...state.nodes.values()].map(async ({ id, name }) => {
      try {
        await nodes.onNode(id, 'clear-authentications', { realms, usernames }, ASK_MS_MAX);
        cleared.push([id, { name }]);
      } catch (error) {
        failures.push(asQuarryError(error));
      }
    }),
  );
  return answerValue({
    _nodes: nodesHeader(state.nodes.size, failures),
    cluster_name: state.clusterName,
    nodes: Object.fromEntries(cleared),
  });
}
