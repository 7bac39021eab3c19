/** `PUT _create_from/{source}/{dest}`: a new, empty index with the settings and the mapping of another one. */
import { createIndex } from '../../actions/indices/create-index.js';
import { authoriseResize } from '../../actions/security/item-actions.js';
import { QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import { isBlockSetting } from '../../cluster/blocks/blocks.js';
import { resolveDateMathName } from '../../cluster/names/date-math-name.js';
import { indexNotFound } from '../../cluster/names/index-expression.js';
import { renderMapping } from '../../mapping/render.js';
import { flattenSettings, withIndexPrefix, type SettingValue } from '../../cluster/settings/flat-settings.js';
import { INDEX_SETTINGS } from '../../cluster/settings/index-settings.js';
import { mappingSettings } from '../../cluster/settings/index-values.js';
import { scopeOf } from '../../cluster/settings/registry.js';
import type { IndexMetadata } from '../../cluster/state.js';
import { mergeMappings } from '../../cluster/templates/merge-mappings.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { masterTimeoutMs } from '../indices/index-names.js';
import { acknowledgedParameters } from '../parameters.js';

export const createFromEndpoint = defineEndpoint({
  name: 'indices.create_from',
  action: { name: 'indices:admin/index/create_from_source', names: ({ parts }) => [parts.source, parts.dest] },
  methods: ['PUT', 'POST'],
  paths: ['/_create_from/{source}/{dest}'],
  parameters: acknowledgedParameters,
  body: 'json',
  pool: 'management',
  placement: 'any',
  async handle({ parameters, parts, body, sentParameters }, context) {
    const {
      settings_override: settings,
      mappings_override: mappings,
      remove_index_blocks,
      ...others
    } = body.object() ?? {};
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw malformed(`[create_index_from_source] unknown field [${unknown}]`);
    const source = context.clusterState().indices.get(resolveDateMathName(parts.source, context.clock.nowMs()));
    if (source === undefined) throw indexNotFound(parts.source);
    authoriseResize(context, source.name);
    const keepsBlocks = !booleanOf(remove_index_blocks ?? true, 'remove_index_blocks');
    const request = {
      name: parts.dest,
      settings: settingsFrom(source, objectOf(settings, 'settings_override'), keepsBlocks),
      mappings: mergeMappings(
        [renderMapping(source.mapping, mappingSettings(source)), objectOf(mappings, 'mappings_override')],
        'merge',
      ),
    };
    const { index, shardsAcknowledged } = await createIndex(context, request, {
      masterTimeoutMs: masterTimeoutMs(parameters, sentParameters),
      timeoutMs: parameters.timeout,
    });
    return answerValue({ acknowledged: true, shards_acknowledged: shardsAcknowledged, index: index.name });
  },
});

/** Null takes a setting of the source away. */
function settingsFrom(source: IndexMetadata, override: JsonObject, keepsBlocks: boolean): JsonObject {
  const settings = new Map<string, SettingValue>();
  for (const [key, value] of source.settings) {
    const isOwn = scopeOf(INDEX_SETTINGS, key) === 'private';
    if (!isOwn && (keepsBlocks || !isBlockSetting(key))) settings.set(key, value);
  }
  for (const [key, value] of withIndexPrefix(flattenSettings(override))) {
    if (value === null) settings.delete(key);
    else settings.set(key, value);
  }
  return Object.fromEntries(settings);
}

function objectOf(value: JsonValue | undefined, name: string): JsonObject {
  if (value === undefined || value === null) return {};
  if (isJsonObject(value)) return value;
  throw malformed(`[create_index_from_source] ${name} must be an object`);
}

function booleanOf(value: JsonValue, name: string): boolean {
  if (typeof value === 'boolean') return value;
  throw malformed(`[create_index_from_source] ${name} must be true or false`);
}

function malformed(reason: string): QuarryError {
  return new QuarryError('x_content_parse_exception', reason);
}
