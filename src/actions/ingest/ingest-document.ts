/** Pipelines of one write. */
import { fromPlainError } from '../../base/error-wire.js';
import { must } from '../../base/assert.js';
import type { DocumentAction } from '../../native/descriptor.js';
import type { ActionContext } from '../context.js';
import { actionOf, metadataOf } from './ingest-bulk.js';
import { NO_PIPELINE, pipelinesOfIndex } from './index-pipelines.js';
import { runPipelines } from './run-pipelines.js';
import { readUpdateBody } from './update-body.js';

interface Write {
  readonly index: string;
  readonly action: DocumentAction;
  readonly body: Uint8Array;
  readonly pipeline?: string;
}

/** The write as pipelines leave it, itself if there are none; undefined when they dropped it. Throws what they fail with. */
export async function ingestDocument<T extends Write>(write: T, context: ActionContext): Promise<T | undefined> {
  const { index, action, body } = write;
  if (action.action === 'delete') return write;
  const own = pipelinesOfIndex(context.clusterState(), index, context.clock.nowMs());
  const pipeline = write.pipeline ?? own.default;
  const finalPipeline = own.final;
  if (pipeline === NO_PIPELINE && finalPipeline === NO_PIPELINE) return write;
  const update = action.action === 'update' ? readUpdateBody(body) : undefined;
  if (action.action === 'update' && update === undefined) return write;
  const source = Uint8Array.from(update?.source ?? body);
  const item = { ...metadataOf(index, action), pipeline, finalPipeline, source };
  const outcome = must((await runPipelines([item], context))[0], 'outcome of the pipelines');
  if (outcome.kind === 'dropped') return undefined;
  if (outcome.kind === 'failed') throw fromPlainError(outcome.error);
  const changed = { ...write, index: outcome.metadata.index };
  if (update !== undefined) return { ...changed, body: update.replace(outcome.source) };
  return { ...changed, action: actionOf(outcome.metadata, action, context.random), body: outcome.source };
}
