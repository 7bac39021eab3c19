/** `GET _cluster/state/{metrics}/{index}`. */
import { illegalArgument } from '../../base/errors.js';
import { IndicesDefaults } from '../../cluster/names/indices-options.js';
import type { ClusterState } from '../../cluster/state.js';
import { answerValue } from '../answer.js';
import { clusterIdentity } from '../cluster-identity.js';
import { defineEndpoint } from '../endpoint.js';
import { namedIndices, stateReadParameters } from '../indices/index-names.js';
import { booleanParameter, indicesOptionsParameters, longParameter, splitList, timeParameter } from '../parameters.js';

export const METRICS = [
  'version',
  'master_node',
  'cluster_manager_node',
  'blocks',
  'nodes',
  'metadata',
  'routing_table',
  'routing_nodes',
] as const;
export type Metric = (typeof METRICS)[number];

export const clusterStateEndpoint = defineEndpoint({
  name: 'cluster.state',
  action: 'cluster:monitor/state',
  methods: ['GET'],
  paths: ['/_cluster/state', '/_cluster/state/{metric}', '/_cluster/state/{metric}/{index}'],
  parameters: {
    ...indicesOptionsParameters,
    ...stateReadParameters,
    flat_settings: booleanParameter(false),
    wait_for_metadata_version: longParameter(),
    wait_for_timeout: timeParameter(60_000),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters, parts } = request;
    const { renderSections } = await import('./state-sections.js');
    const wanted = wantedVersion(parameters.wait_for_metadata_version);
    const { cancellation } = context;
    const isReached = ({ metadataVersion }: ClusterState): boolean => metadataVersion >= wanted;
    const reached = await context.whenState(isReached, parameters.wait_for_timeout, cancellation);
    if (reached === undefined) cancellation.throwIfCancelled();
    const state = context.clusterState();
    const identity = clusterIdentity(state);
    if (reached === undefined) return answerValue({ ...identity, wait_for_timed_out: true });
    const indices = namedIndices(context, parts.index, IndicesDefaults.lenient, parameters);
    const metrics = parts.metric === undefined ? METRICS : readMetrics(splitList(parts.metric));
    const view = { state, indices, context, flat: parameters.flat_settings };
    return answerValue({ ...identity, ...renderSections(metrics, view) });
  },
});

function wantedVersion(asked: number | undefined): number {
  if (asked === undefined || asked >= 1) return asked ?? 0;
  throw illegalArgument(`provided waitForMetadataVersion should be >= 1, but instead is [${asked}]`);
}

export function readMetrics(names: readonly string[]): readonly Metric[] {
  // `customs` are parts of the state that other features add; none is there.
  const unknown = names.find((name) => name !== 'customs' && !METRICS.some((metric) => metric === name));
  if (unknown !== undefined && !names.includes(ALL)) {
    throw illegalArgument(`request contains unrecognized metric: [${unknown}]`);
  }
  return knownMetrics(names);
}

/** Other names mean nothing. */
export function knownMetrics(names: readonly string[]): readonly Metric[] {
  return names.includes(ALL) ? METRICS : METRICS.filter((metric) => names.includes(metric));
}

const ALL = '_all';
