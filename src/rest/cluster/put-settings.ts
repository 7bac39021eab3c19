/** `PUT _cluster/settings`. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import { isPattern } from '../../cluster/names/wildcard.js';
import { CLUSTER_SETTINGS } from '../../cluster/settings/cluster-settings.js';
import { flattenSettings, type SettingValue } from '../../cluster/settings/flat-settings.js';
import { scopeOf } from '../../cluster/settings/registry.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { renderSettings } from '../indices/settings/render-settings.js';
import { acknowledgedParameters, booleanParameter } from '../parameters.js';

export const putClusterSettingsEndpoint = defineEndpoint({
  name: 'cluster.put_settings',
  action: 'cluster:admin/settings/update',
  methods: ['PUT'],
  paths: ['/_cluster/settings'],
  parameters: { ...acknowledgedParameters, flat_settings: booleanParameter(false) },
  body: 'json',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters } = request;
    const { persistent, transient, ...others } = request.body.requireObject();
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) {
      const reason = `[cluster_update_settings_request] unknown field [${unknown}]`;
      throw new QuarryError('x_content_parse_exception', reason);
    }
    const input = { persistent: section(persistent, 'persistent'), transient: section(transient, 'transient') };
    if (Object.keys(input.persistent).length + Object.keys(input.transient).length === 0) {
      const reason = 'Validation Failed: 1: no settings to update;';
      throw new QuarryError('action_request_validation_exception', reason);
    }
    await refuseNodeSettings(input.persistent, 'persistent');
    await refuseNodeSettings(input.transient, 'transient');
    const timeoutMs = masterTimeoutMs(parameters, request.sentParameters);
    await context.coordinator.submit('update-cluster-settings', input, { timeoutMs });
    const flat = parameters.flat_settings;
    return answerValue({
      acknowledged: true,
      persistent: renderSettings(given(input.persistent), { flat }),
      transient: renderSettings(given(input.transient), { flat }),
    });
  },
});

function section(value: JsonValue | undefined, name: string): JsonObject {
  if (value === undefined || value === null) return {};
  if (isJsonObject(value)) return value;
  throw new QuarryError('x_content_parse_exception', `[${name}] must be an object`);
}

/** Here, because the coordinator has no need to know their names: few requests have a setting that no cluster has. */
async function refuseNodeSettings(settings: JsonObject, kind: 'persistent' | 'transient'): Promise<void> {
  const others = [...flattenSettings(settings).keys()].filter((key) => scopeOf(CLUSTER_SETTINGS, key) === undefined);
  if (others.length === 0) return;
  const { isNodeSetting } = await import('../../base/node-settings.js');
  const refused = others.find((key) => isNodeSetting(key) && !key.startsWith('index.') && !isPattern(key));
  if (refused !== undefined) throw illegalArgument(`${kind} setting [${refused}], not dynamically updateable`);
}

/** The settings that the request gave a value. */
function given(settings: JsonObject): ReadonlyMap<string, SettingValue> {
  const values = new Map<string, SettingValue>();
  for (const [key, value] of flattenSettings(settings)) if (value !== null) values.set(key, value);
  return values;
}
