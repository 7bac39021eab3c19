/** Shrinks, splits or clones an index: looks at the figures of the source, then asks the master. */
import type { JsonObject } from '../../base/json-value.js';
import { checkDocumentsFit, checkShardNumbers, shardsForSize, type ResizeKind } from '../../cluster/resize.js';
import type { IndexId, IndexMetadata } from '../../cluster/state.js';
import type { ActionContext } from '../context.js';
import { authoriseAliases, authoriseResize } from '../security/item-actions.js';
import { waitForActiveShards, type WaitOptions } from './create-index.js';
import { shardStatistics } from './shard-statistics.js';

export interface ResizeRequest extends WaitOptions {
  readonly kind: ResizeKind;
  readonly source: IndexMetadata;
  readonly target: string;
  readonly settings: JsonObject;
  readonly aliases: JsonObject;
  /** What the settings ask for; undefined where they do not. */
  readonly numberOfShards: number | undefined;
  /** Has the number of shards of a shrunk index chosen. */
  readonly maxShardBytes: number | undefined;
}

export interface ResizedIndex {
  readonly index: IndexId;
  readonly shardsAcknowledged: boolean;
}

export async function resizeIndex(context: ActionContext, request: ResizeRequest): Promise<ResizedIndex> {
  const { kind, source, target, aliases } = request;
  authoriseAliases(context, target, aliases);
  authoriseResize(context, source.name, target);
  const settings = kind === 'shrink' ? await settingsOfShrunk(context, request) : request.settings;
  const { name, uuid } = source;
  const { index } = await context.coordinator.submit(
    'resize-index',
    { kind, source: { name, uuid }, target, settings, aliases },
    { timeoutMs: request.masterTimeoutMs },
  );
  return { index, shardsAcknowledged: await waitForActiveShards(context, [index], request) };
}

async function settingsOfShrunk(context: ActionContext, request: ResizeRequest): Promise<JsonObject> {
  const { source, settings, maxShardBytes } = request;
  // The master refuses it, after what else may be wrong.
  if (source.state === 'close') return settings;
  const { answers } = await shardStatistics(context, [source], { includeUnloadedSegments: false });
  const primaries = answers.filter(({ copy }) => copy.primary);
  const bytes = primaries.reduce((sum, { output }) => sum + output.stats.storeBytes, 0);
  const chosen = maxShardBytes === undefined ? undefined : shardsForSize(source.numberOfShards, bytes, maxShardBytes);
  const shards = chosen ?? request.numberOfShards ?? 1;
  checkShardNumbers('shrink', source, shards);
  checkDocumentsFit(source, shards, new Map(primaries.map(({ copy, output }) => [copy.shard, output.stats])));
  return chosen === undefined ? settings : { ...settings, 'index.number_of_shards': String(chosen) };
}
