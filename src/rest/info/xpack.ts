/** `_xpack`, `_xpack/usage` and `_features`: which of the reference's features a client may count on here. */
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { NodeSettings } from '../../base/node-settings.js';
import { FEATURES as FEATURE_STATES } from '../../cluster/snapshots/features.js';
import type { ClusterState } from '../../cluster/state.js';
import { answerValue } from '../answer.js';
import { slmStats } from '../slm/stats.js';
import { clusterUuidOf } from '../cluster-identity.js';
import { defineEndpoint } from '../endpoint.js';
import { acknowledgedParameters, listParameter, stringParameter } from '../parameters.js';
import { BUILD_DATE, buildHash } from './compatibility.js';
import { enterpriseParameter, refuseOldForm } from './licence.js';

const SECURITY = 'security';
const HERE: ReadonlySet<string> = new Set([
  'analytics',
  'data_streams',
  'data_tiers',
  'ilm',
  SECURITY,
  'slm',
  'spatial',
  'voting_only',
]);
const ELSEWHERE = [
  ...['aggregate_metric', 'archive', 'ccr', 'enrich', 'enterprise_search', 'eql', 'esql', 'frozen_indices', 'graph'],
  ...['logsdb', 'logstash', 'ml', 'monitoring', 'rollup', 'searchable_snapshots', 'sql', 'transform'],
  ...['universal_profiling', 'watcher'],
];
const FEATURES = [...HERE, ...ELSEWHERE].sort();

const CATEGORIES = ['build', 'license', 'features'] as const;
type Category = (typeof CATEGORIES)[number];

const read = {
  methods: ['GET'],
  body: 'none',
  pool: 'management',
  placement: 'any',
  distribution: 'elasticsearch',
} as const;

export const xpackInfoEndpoint = defineEndpoint({
  ...read,
  name: 'xpack.info',
  action: 'cluster:monitor/xpack/info',
  paths: ['/_xpack'],
  // `human` is common to all, and here it is on unless it is said otherwise.
  parameters: { ...enterpriseParameter, categories: listParameter() },
  handle({ parameters, query }, context) {
    refuseOldForm(parameters.accept_enterprise);
    const wanted = categories(parameters.categories);
    const license = { uid: clusterUuidOf(context.clusterState()), type: 'basic', mode: 'basic', status: 'active' };
    return answerValue({
      ...(wanted.has('build') ? { build: { hash: buildHash(context.node.version), date: BUILD_DATE } } : {}),
      ...(wanted.has('license') ? { license } : {}),
      ...(wanted.has('features')
        ? { features: Object.fromEntries(FEATURES.map((name) => [name, stateOf(name, context.settings)])) }
        : {}),
      ...(/(?:^|&)human=false(?:&|$)/.test(query) ? {} : { tagline: 'You know, for X' }),
    });
  },
});

export const xpackUsageEndpoint = defineEndpoint({
  ...read,
  name: 'xpack.usage',
  action: 'cluster:monitor/xpack/usage',
  paths: ['/_xpack/usage'],
  parameters: acknowledgedParameters,
  handle(_request, context) {
    const figures = usage(context.clusterState(), context.settings);
    const { settings } = context;
    return answerValue(
      Object.fromEntries(FEATURES.map((name) => [name, { ...stateOf(name, settings), ...figures[name] }])),
    );
  },
});

/** Those of which a snapshot may have a state. */
export const getFeaturesEndpoint = defineEndpoint({
  ...read,
  name: 'features.get_features',
  action: 'cluster:admin/features/get',
  paths: ['/_features'],
  parameters: { master_timeout: stringParameter() },
  handle: () =>
    answerValue({ features: Object.entries(FEATURE_STATES).map(([name, description]) => ({ name, description })) }),
});

function categories(names: readonly string[] | undefined): ReadonlySet<Category> {
  if (names === undefined || names.includes('_all')) return new Set(CATEGORIES);
  if (names.includes('_none')) return new Set();
  return new Set(
    names.map((name) => {
      const category = CATEGORIES.find((each) => each === name);
      if (category === undefined) {
        throw illegalArgument(`unknown value [${name}] in [categories], expected [${CATEGORIES.join(', ')}]`);
      }
      return category;
    }),
  );
}

/** Security is there, and on where a node was told so. */
function stateOf(feature: string, { values }: NodeSettings): JsonObject {
  if (feature === SECURITY) return { available: true, enabled: values['security.enabled'] };
  const isHere = HERE.has(feature);
  return { available: isHere, enabled: isHere };
}

function usage(state: ClusterState, { values }: NodeSettings): Readonly<Record<string, JsonObject>> {
  const streams = [...state.dataStreams.values()];
  const policies = [...state.lifecyclePolicies.values()];
  return {
    data_streams: {
      data_streams: streams.length,
      indices_count: streams.reduce((count, { indices }) => count + indices.length, 0),
    },
    security: values['security.enabled'] ? securityUsage(values) : {},
    ilm: { policy_count: policies.length },
    slm: { policy_count: state.slmPolicies.size, policy_stats: slmStats(state) },
  };
}

function securityUsage(values: NodeSettings['values']): JsonObject {
  return {
    ssl: { http: { enabled: values['http.ssl.enabled'] }, transport: { enabled: values['transport.ssl.enabled'] } },
    audit: { enabled: values['security.audit.enabled'] },
    anonymous: { enabled: values['security.anonymous.roles'].length > 0 },
  };
}
