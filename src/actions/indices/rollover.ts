/** Rollover of an alias or data stream when its index is full: looks at the figures, then asks the master. */
import type { JsonObject } from '../../base/json-value.js';
import { writeIndexNamed } from '../../cluster/aliases/aliases.js';
import {
  areMet,
  describeCondition,
  isMet,
  type IndexFigures,
  type RolloverCondition,
} from '../../cluster/data-streams/rollover-conditions.js';
import type { IndexId, IndexMetadata } from '../../cluster/state.js';
import type { ActionContext } from '../context.js';
import { backingNames } from '../documents/auto-create.js';
import { authoriseAliases } from '../security/item-actions.js';
import { waitForActiveShards, type WaitOptions } from './create-index.js';
import { shardStatistics } from './shard-statistics.js';

export interface RolloverRequest extends WaitOptions {
  readonly target: string;
  readonly newIndex?: string;
  readonly settings?: JsonObject;
  readonly mappings?: JsonObject;
  readonly aliases?: JsonObject;
  readonly conditions: readonly RolloverCondition[];
  readonly dryRun: boolean;
  /** The next write to the data stream shall do it. */
  readonly lazy: boolean;
  /** Whose writes shall be handed on: when another index takes them, nothing is done. */
  readonly source?: IndexId;
}

export interface RolloverAnswer {
  readonly oldIndex: string;
  readonly newIndex: string;
  readonly rolledOver: boolean;
  readonly acknowledged: boolean;
  readonly shardsAcknowledged: boolean;
  /** Whether each holds, by its name. */
  readonly conditions: Readonly<Record<string, boolean>>;
}

export async function rollover(context: ActionContext, request: RolloverRequest): Promise<RolloverAnswer> {
  const { target, conditions, masterTimeoutMs: timeoutMs } = request;
  const known = writeIndexNamed(context.clusterState(), target);
  const figures = known === undefined ? undefined : await figuresOf(context, known);
  // Of a target that this node does not know yet nobody can say that it is full.
  const met = figures === undefined ? conditions.length === 0 : areMet(conditions, figures);
  const source = request.source ?? known;
  const results = conditions.map(
    (each) => [describeCondition(each), figures !== undefined && isMet(each, figures)] as const,
  );
  const answer = { conditions: Object.fromEntries(results), rolledOver: false, acknowledged: false };
  if (request.lazy && !request.dryRun) {
    const { oldIndex, newIndex } = await context.coordinator.submit('mark-rollover', { stream: target }, { timeoutMs });
    return { ...answer, oldIndex, newIndex, acknowledged: true, shardsAcknowledged: false };
  }
  const { newIndex, settings, mappings, aliases } = request;
  authoriseAliases(context, target, aliases);
  const {
    oldIndex,
    newIndex: madeName,
    created,
  } = await context.coordinator.submit(
    'rollover',
    {
      target,
      ...(newIndex === undefined ? {} : { newIndex }),
      ...(settings === undefined ? {} : { settings }),
      ...(mappings === undefined ? {} : { mappings }),
      ...(aliases === undefined ? {} : { aliases }),
      ...(source === undefined ? {} : { source: { name: source.name, uuid: source.uuid } }),
      defaults: new Map(Object.entries(context.settings.indexDefaults)),
      backingNames: backingNames(context),
      dryRun: request.dryRun || !met,
    },
    { timeoutMs },
  );
  const named = { ...answer, oldIndex, newIndex: madeName };
  if (created === undefined) return { ...named, shardsAcknowledged: false };
  const shardsAcknowledged = await waitForActiveShards(context, [created], request);
  return { ...named, rolledOver: true, acknowledged: true, shardsAcknowledged };
}

/** Of the primaries that answer. */
export async function figuresOf(context: ActionContext, index: IndexMetadata): Promise<IndexFigures> {
  const { answers } = await shardStatistics(context, [index], { includeUnloadedSegments: false });
  const primaries = answers.filter(({ copy }) => copy.primary);
  const docs = primaries.map(({ output }) => output.stats.documents);
  const bytes = primaries.map(({ output }) => output.segments.reduce((sum, segment) => sum + segment.bytes, 0));
  return {
    ageMs: context.clock.nowMs() - index.creationDateMs,
    docs: docs.reduce((sum, each) => sum + each, 0),
    bytes: bytes.reduce((sum, each) => sum + each, 0),
    largestShardDocs: Math.max(0, ...docs),
    largestShardBytes: Math.max(0, ...bytes),
  };
}
