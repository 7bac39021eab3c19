/** What snapshot lifecycle management did: documents of a hidden data stream, where the settings ask for them. */
import { asQuarryError } from '../../base/error-wire.js';
import type { JsonObject } from '../../base/json-value.js';
import { newId } from '../../base/random.js';
import { named } from '../../base/logger.js';
import { effectiveClusterSettings } from '../../cluster/settings/effective-cluster-settings.js';
import { ClusterSettingDefinitions } from '../../cluster/settings/cluster-settings.js';
import { valueOf } from '../../cluster/settings/registry.js';
import { parseIndexTemplate } from '../../cluster/templates/parse-template.js';
import type { ActionContext } from '../context.js';
import { asSystem } from '../security/authority.js';
import { writeDocument } from '../documents/write-document.js';

export const SLM_HISTORY = '.slm-history-7';

const WRITE_MS_MAX = 60_000;
const VERSION = 7;
const keyword: JsonObject = { type: 'keyword' };

const TEMPLATE: JsonObject = {
  index_patterns: [`${SLM_HISTORY}*`],
  priority: 2_147_483_647,
  data_stream: { hidden: true },
  allow_auto_create: true,
  version: VERSION,
  _meta: { description: 'what snapshot lifecycle management did', managed: true },
  template: {
    settings: {
      'index.number_of_shards': 1,
      'index.number_of_replicas': 0,
      'index.auto_expand_replicas': '0-1',
    },
    lifecycle: { data_retention: '90d' },
    mappings: {
      dynamic: false,
      properties: {
        '@timestamp': { type: 'date', format: 'epoch_millis' },
        policy: keyword,
        repository: keyword,
        snapshot_name: keyword,
        operation: keyword,
        success: { type: 'boolean' },
        configuration: {
          type: 'object',
          dynamic: false,
          properties: { indices: keyword, partial: { type: 'boolean' }, include_global_state: { type: 'boolean' } },
        },
        error_details: { type: 'text', index: false },
      },
    },
  },
};

export interface HistoryRecord {
  readonly policyId: string;
  readonly repository: string;
  readonly snapshotName: string;
  readonly operation: 'CREATE' | 'DELETE';
  /** Of a snapshot that was taken. */
  readonly configuration: JsonObject | null;
  /** What went wrong: an error as JSON. */
  readonly details: string | undefined;
}

/** What cannot be written is told in the log: the work itself is done. Whoever asked for it need not be allowed to write there. */
export async function noteHistory(asked: ActionContext, record: HistoryRecord): Promise<void> {
  const context = asSystem(asked);
  const settings = effectiveClusterSettings(context.clusterState());
  if (valueOf(ClusterSettingDefinitions.slmHistoryEnabled, settings) !== true) return;
  try {
    await keepTemplate(context);
    await write(context, record);
  } catch (error) {
    const { message: reason } = asQuarryError(error);
    const { policyId: policy, snapshotName: snapshot } = record;
    named(context.logger, 'slm').log('warn', 'the history of a snapshot lifecycle policy was not written', {
      policy,
      snapshot,
      reason,
    });
  }
}

async function keepTemplate(context: ActionContext): Promise<void> {
  const { indexTemplates } = context.clusterState();
  if (indexTemplates.has(SLM_HISTORY)) return;
  const input = { name: SLM_HISTORY, template: parseIndexTemplate(TEMPLATE), create: false };
  await context.coordinator.submit('put-index-template', input, { timeoutMs: WRITE_MS_MAX });
}

async function write(context: ActionContext, record: HistoryRecord): Promise<void> {
  const document = {
    '@timestamp': context.clock.nowMs(),
    policy: record.policyId,
    repository: record.repository,
    snapshot_name: record.snapshotName,
    operation: record.operation,
    success: record.details === undefined,
    configuration: record.configuration,
    error_details: record.details ?? null,
  };
  const request = {
    index: SLM_HISTORY,
    action: { action: 'create', id: newId(context.random), autoId: true },
    body: Buffer.from(JSON.stringify(document), 'utf8'),
    requireAlias: false,
    requireDataStream: true,
    refresh: 'none',
    activeShards: undefined,
    timeoutMs: WRITE_MS_MAX,
  } as const;
  await writeDocument(request, context);
}
