/** `PUT {index}/_settings`. */
import { updateSettings } from '../../../actions/indices/update-settings.js';
import { QuarryError } from '../../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../../base/json-value.js';
import { IndicesDefaults } from '../../../cluster/names/indices-options.js';
import { answerAcknowledged } from '../../answer.js';
import { defineEndpoint } from '../../endpoint.js';
import { acknowledgedParameters, booleanParameter, indicesOptionsParameters } from '../../parameters.js';
import { flattenSettings, withIndexPrefix } from '../../../cluster/settings/flat-settings.js';
import { idsOf, masterTimeoutMs, namedIndices } from '../index-names.js';
import { refuseTranslogRetention, translogRetentionWarning } from './translog-retention.js';

export const putSettingsEndpoint = defineEndpoint({
  name: 'indices.put_settings',
  action: 'indices:admin/settings/update',
  methods: ['PUT'],
  paths: ['/_settings', '/{index}/_settings'],
  parameters: {
    ...acknowledgedParameters,
    ...indicesOptionsParameters,
    preserve_existing: booleanParameter(false),
    reopen: booleanParameter(false),
    flat_settings: booleanParameter(),
  },
  body: 'json',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters } = request;
    const settings = unwrap(request.body.object() ?? {});
    if (Object.keys(settings).length === 0) {
      const reason = 'Validation Failed: 1: no settings to update;';
      throw new QuarryError('action_request_validation_exception', reason);
    }
    refuseTranslogRetention(settings, context);
    const indices = idsOf(namedIndices(context, request.parts.index, IndicesDefaults.change, parameters));
    const { preserve_existing: preserveExisting, reopen } = parameters;
    const timeoutMs = masterTimeoutMs(parameters, request.sentParameters);
    await updateSettings(context, { indices, settings, preserveExisting, reopen, timeoutMs });
    return answerAcknowledged(true, translogRetentionWarning(withIndexPrefix(flattenSettings(settings))));
  },
});

/** The settings may stand under one member `settings`. */
function unwrap(body: JsonObject): JsonObject {
  const { settings } = body;
  return Object.keys(body).length === 1 && isJsonObject(settings) ? settings : body;
}
