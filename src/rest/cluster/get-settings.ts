/** `GET _cluster/settings`. */
import { effectiveClusterSettings } from '../../cluster/settings/effective-cluster-settings.js';
import { withArchived } from '../../cluster/settings/archived-settings.js';
import { CLUSTER_SETTINGS } from '../../cluster/settings/cluster-settings.js';
import { defaultsBeside } from '../../cluster/settings/registry.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { stateReadParameters } from '../indices/index-names.js';
import { renderSettings } from '../indices/settings/render-settings.js';
import { booleanParameter, timeParameter } from '../parameters.js';

export const getClusterSettingsEndpoint = defineEndpoint({
  name: 'cluster.get_settings',
  action: 'cluster:monitor/settings',
  methods: ['GET'],
  paths: ['/_cluster/settings'],
  parameters: {
    ...stateReadParameters,
    flat_settings: booleanParameter(false),
    include_defaults: booleanParameter(false),
    timeout: timeParameter(30_000),
  },
  body: 'none',
  pool: 'management',
  placement: 'any',
  handle(request, context) {
    const { flat_settings: flat, include_defaults: includeDefaults } = request.parameters;
    const state = context.clusterState();
    const { configured, persistent, transient } = state.clusterSettings;
    const set = effectiveClusterSettings(state);
    // What the master was configured with is a default as well.
    const defaults = defaultsBeside(CLUSTER_SETTINGS, set);
    const unset = [...configured].filter(([key]) => !persistent.has(key) && !transient.has(key));
    return answerValue({
      persistent: renderSettings(withArchived(CLUSTER_SETTINGS, persistent), { flat }),
      transient: renderSettings(withArchived(CLUSTER_SETTINGS, transient), { flat }),
      ...(includeDefaults ? { defaults: renderSettings(new Map([...defaults, ...unset]), { flat }) } : {}),
    });
  },
});
