/** `PUT {index}`. */
import { checkActiveShards, createIndex } from '../../actions/indices/create-index.js';
import type { ActionContext } from '../../actions/context.js';
import { QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject } from '../../base/json-value.js';
import { flattenSettings, withIndexPrefix, type FlatSettings } from '../../cluster/settings/flat-settings.js';
import { answerValue } from '../answer.js';
import { defineEndpoint } from '../endpoint.js';
import { acknowledgedParameters, activeShardsParameter } from '../parameters.js';
import { masterTimeoutMs } from './index-names.js';
import { refuseTranslogRetention, translogRetentionWarning } from './settings/translog-retention.js';

const SECTIONS = ['settings', 'mappings', 'aliases'] as const;

export const createIndexEndpoint = defineEndpoint({
  name: 'indices.create',
  action: 'indices:admin/create',
  methods: ['PUT'],
  paths: ['/{index}'],
  parameters: { ...acknowledgedParameters, wait_for_active_shards: activeShardsParameter() },
  body: 'json',
  pool: 'management',
  placement: 'any',
  async handle(request, context) {
    const { parameters } = request;
    const sections = readSections(request.body.object() ?? {});
    refuseTranslogRetention(sections.settings ?? {}, context);
    checkActiveShards(parameters.wait_for_active_shards, replicasAsked(sections.settings ?? {}));
    const created = await createIndex(
      context,
      { name: request.parts.index, ...sections },
      {
        waitForActiveShards: parameters.wait_for_active_shards,
        masterTimeoutMs: masterTimeoutMs(parameters, request.sentParameters),
        timeoutMs: parameters.timeout,
      },
    );
    const { index, shardsAcknowledged } = created;
    const answer = { acknowledged: true, shards_acknowledged: shardsAcknowledged, index: index.name };
    return answerValue(answer, 200, translogRetentionWarning(settingsOf(index.name, context)));
  },
});

/** With those of its templates; none when it is gone again. */
function settingsOf(name: string, context: ActionContext): FlatSettings {
  return context.clusterState().indices.get(name)?.settings ?? new Map();
}

function readSections(body: JsonObject): Partial<Record<(typeof SECTIONS)[number], JsonObject>> {
  const sections: Partial<Record<(typeof SECTIONS)[number], JsonObject>> = {};
  for (const [key, value] of Object.entries(body)) {
    const section = SECTIONS.find((name) => name === key);
    if (section === undefined) throw new QuarryError('parse_exception', `unknown key [${key}] for create index`);
    if (value === null) continue;
    if (!isJsonObject(value)) throw new QuarryError('parse_exception', `key [${key}] must be an object`);
    sections[section] = value;
  }
  return sections;
}

/** Only to refuse early what could never be; the value itself is checked when the index is made. */
function replicasAsked(settings: JsonObject): number {
  const replicas = Number(withIndexPrefix(flattenSettings(settings)).get('index.number_of_replicas') ?? 1);
  return Number.isInteger(replicas) ? replicas : Infinity;
}
