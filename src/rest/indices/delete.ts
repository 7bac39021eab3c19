/** `DELETE {index}`. */
import { illegalArgument } from '../../base/errors.js';
import { effectiveClusterSettings } from '../../cluster/settings/effective-cluster-settings.js';
import { IndicesDefaults } from '../../cluster/names/indices-options.js';
import { ClusterSettingDefinitions } from '../../cluster/settings/cluster-settings.js';
import { valueOf } from '../../cluster/settings/registry.js';
import type { ClusterState } from '../../cluster/state.js';
import { answerAcknowledged } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { acknowledgedParameters, indicesOptionsParameters } from '../parameters.js';
import { idsOf, indexNames, masterTimeoutMs, namedIndices } from './index-names.js';

export const deleteIndexEndpoint = defineEndpoint({
  name: 'indices.delete',
  action: 'indices:admin/delete',
  methods: ['DELETE'],
  paths: ['/{index}'],
  parameters: { ...acknowledgedParameters, ...indicesOptionsParameters },
  body: 'none',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters } = request;
    refuseWildcardsIfSet(context.clusterState(), indexNames(request.parts.index));
    const indices = idsOf(namedIndices(context, request.parts.index, IndicesDefaults.delete, parameters));
    const timeoutMs = masterTimeoutMs(parameters, request.sentParameters);
    await context.coordinator.submit('delete-indices', { indices }, { timeoutMs });
    return answerAcknowledged();
  },
});

/** `action.destructive_requires_name` */
export function refuseWildcardsIfSet(state: ClusterState, names: readonly string[]): void {
  const required = valueOf(ClusterSettingDefinitions.destructiveRequiresName, effectiveClusterSettings(state));
  if (required !== true) return;
  if (names.length === 0 || names.some((name) => name === '_all' || name.includes('*'))) {
    throw illegalArgument('Wildcard expressions or all indices are not allowed');
  }
}
