/** Creation of an index by its first document, as `action.auto_create_index` allows. */
import { QuarryError } from '../../base/errors.js';
import { resolveDateMathName } from '../../cluster/names/date-math-name.js';
import { effectiveClusterSettings } from '../../cluster/settings/effective-cluster-settings.js';
import { indexNotFound } from '../../cluster/names/index-expression.js';
import { ClusterSettingDefinitions } from '../../cluster/settings/cluster-settings.js';
import { valueOf } from '../../cluster/settings/registry.js';
import type { BackingNames } from '../../cluster/data-streams/data-streams.js';
import type { ClusterState } from '../../cluster/state.js';
import { matchingIndexTemplate } from '../../cluster/templates/compose.js';
import { patternMatcher } from '../../cluster/names/wildcard.js';
import type { ActionContext } from '../context.js';
import { whenPrimariesStarted } from './active-shards.js';
import { findWriteTarget, requireWriteTarget, type WriteTarget } from './write-target.js';

/** Creates the index or data stream unless it is there meanwhile; refuses with `index_not_found_exception` where it may not be. */
async function createMissingIndex(context: ActionContext, expression: string, timeoutMs: number): Promise<void> {
  const name = resolveDateMathName(expression, context.clock.nowMs());
  context.authority?.requireNames('indices:admin/auto_create', [name]);
  checkAllowed(context.clusterState(), name);
  const defaults = new Map(Object.entries(context.settings.indexDefaults));
  const input = { name, defaults, ifAbsent: true };
  const result = isStreamName(context.clusterState(), name)
    ? await context.coordinator.submit(
        'create-data-stream',
        { ...input, backingNames: backingNames(context) },
        { timeoutMs },
      )
    : await context.coordinator.submit('create-index', input, { timeoutMs });
  await whenPrimariesStarted(context, result.index, timeoutMs);
}

function isStreamName(state: ClusterState, name: string): boolean {
  return matchingIndexTemplate(state, name, false)?.template.dataStream !== undefined;
}

/** One dialect of the API tells the day in the names of backing indices. */
export function backingNames(context: ActionContext): BackingNames {
  return context.settings.values['compatibility.distribution'] === 'opensearch' ? 'plain' : 'dated';
}

export interface TargetRequest {
  /** Index, alias or data stream. */
  readonly expression: string;
  /** Something that is not there may be made. */
  readonly creates: boolean;
  readonly requireDataStream: boolean;
  readonly timeoutMs: number;
}

/** Where the write goes, which is made first where it has to be: an index, a data stream, or the next index of one. */
export async function writeTargetFor(context: ActionContext, request: TargetRequest): Promise<WriteTarget> {
  const { expression, timeoutMs } = request;
  const nowMs = context.clock.nowMs();
  const found = findWriteTarget(context.clusterState(), expression, nowMs);
  if (request.requireDataStream) requireStream(context.clusterState(), resolveDateMathName(expression, nowMs), found);
  if (found !== undefined && found.stream?.rolloverOnWrite !== true) return found;
  if (found?.stream !== undefined) await rolloverMarked(context, found.stream.name, timeoutMs);
  else if (request.creates) await createMissingIndex(context, expression, timeoutMs);
  return requireWriteTarget(context.clusterState(), expression, context.clock.nowMs());
}

function requireStream(state: ClusterState, name: string, found: WriteTarget | undefined): void {
  if (found?.stream !== undefined || (found === undefined && isStreamName(state, name))) return;
  const missing = indexNotFound(name);
  const reason = `no such index [${name}] and [require_data_stream] request flag is [true] and [${name}] is not a data stream`;
  throw new QuarryError(missing.type, reason, { details: missing.details });
}

async function rolloverMarked(context: ActionContext, target: string, timeoutMs: number): Promise<void> {
  const input = { target, backingNames: backingNames(context), dryRun: false, ifMarked: true };
  const { created } = await context.coordinator.submit('rollover', input, { timeoutMs });
  if (created !== undefined) await whenPrimariesStarted(context, created, timeoutMs);
}

/** What a template says wins over the setting. That is `true`, `false`, or patterns of which the first that matches decides: `+logs-*,-*`. */
function checkAllowed(state: ClusterState, name: string): void {
  const refuse = (why: string): QuarryError => {
    const missing = indexNotFound(name);
    return new QuarryError(missing.type, `no such index [${name}] and ${why}`, { details: missing.details });
  };
  const template = matchingIndexTemplate(state, name, false);
  if (template?.template.allowAutoCreate === true) return;
  if (template?.template.allowAutoCreate === false) {
    throw refuse(`composable template [${template.name}] forbids index auto creation`);
  }
  const rule = valueOf(ClusterSettingDefinitions.autoCreateIndex, effectiveClusterSettings(state)) ?? 'true';
  if (rule === 'true') return;
  if (rule === 'false') throw refuse('[action.auto_create_index] is [false]');
  for (const pattern of rule.split(',').map((item) => item.trim())) {
    const isForbidden = pattern.startsWith('-');
    if (!patternMatcher(pattern.replace(/^[+-]/, ''))(name)) continue;
    if (isForbidden)
      throw refuse(`[action.auto_create_index] contains [${pattern}] which forbids automatic creation of the index`);
    return;
  }
  throw refuse(`[action.auto_create_index] ([${rule}]) doesn't match`);
}
