/** One action on one document: what the document endpoints do. Carried out as a batch of one. */
import { must } from '../../base/assert.js';
import { isErrorType } from '../../base/error-wire.js';
import { QuarryError } from '../../base/errors.js';
import { heldBytes } from '../../base/indexing-pressure.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import { isSystemIndex } from '../../cluster/names/system-indices.js';
import { shardOf } from '../../native/bulk.js';
import { describeDocument } from '../../native/describe-items.js';
import type { DocumentAction } from '../../native/descriptor.js';
import type { ActionContext } from '../context.js';
import type { RefreshPolicy } from '../operations/write-items.js';
import type { ActiveShards } from './active-shards.js';
import { ingestDocument } from '../ingest/ingest-document.js';
import { authoriseWrite } from '../security/item-actions.js';
import { writeTargetFor } from './auto-create.js';
import { droppedDocument } from './finished-items.js';
import { checkStreamItem } from './stream-rules.js';
import { combinedRouting, requireAlias, routingTarget, type WriteTarget } from './write-target.js';
import { writeToShard } from './write-to-shard.js';

export interface WriteRequest {
  /** Index or alias. */
  readonly index: string;
  readonly action: DocumentAction;
  /** The document, or the update's body; empty for a deletion. */
  readonly body: Uint8Array;
  /** An ingest pipeline; absent: that of the index. */
  readonly pipeline?: string;
  readonly requireAlias: boolean;
  readonly requireDataStream?: boolean;
  readonly refresh: RefreshPolicy;
  readonly activeShards: ActiveShards | undefined;
  readonly timeoutMs: number;
}

export interface WriteAnswer {
  readonly status: number;
  /** The answer as JSON. */
  readonly json: Uint8Array;
  /** The concrete index. */
  readonly index: string;
  readonly id: string;
}

/** Throws what the item is refused for. */
export async function writeDocument(request: WriteRequest, context: ActionContext): Promise<WriteAnswer> {
  const { body, index } = request;
  return context.pressure.coordinate(
    heldBytes(body.length, 1),
    () => isSystemIndex(index),
    () => write(request, context),
  );
}

async function write(asked: WriteRequest, context: ActionContext): Promise<WriteAnswer> {
  const request = await ingestDocument(asked, context);
  if (request === undefined) return droppedAnswer(asked);
  const { action, body, refresh, activeShards, timeoutMs } = request;
  const target = await targetOf(request, context);
  const routing = combinedRouting(target, action.routing, action.id);
  const described = routing === undefined ? action : { ...action, routing };
  const { index } = target;
  const shard = shardOf(routingTarget(index), action.id, routing);
  const items = describeDocument(described, body.length);
  const input = { body, items, selection: Uint32Array.of(0), refresh, bare: true };
  const output = await writeToShard({ index, shard, input, activeShards, timeoutMs }, context);
  const json = must(output.answers[0], 'answer of the item').items;
  if (output.failed > 0) throw itemError(json);
  return { status: output.status, json, index: target.index.name, id: action.id };
}

function droppedAnswer({ index, action }: WriteRequest): WriteAnswer {
  const answer = droppedDocument(index, action.autoId === true ? undefined : action.id, action.version);
  return { status: 200, json: Buffer.from(JSON.stringify(answer), 'utf8'), index, id: action.id };
}

async function targetOf(request: WriteRequest, context: ActionContext): Promise<WriteTarget> {
  const { index, action, timeoutMs } = request;
  authoriseWrite(context, action.action, index);
  const nowMs = context.clock.nowMs();
  if (request.requireAlias) requireAlias(context.clusterState(), index, nowMs);
  const creates = action.action !== 'delete' || (action.versionType ?? 'internal') !== 'internal';
  const { requireDataStream = false } = request;
  const target = await writeTargetFor(context, { expression: index, creates, requireDataStream, timeoutMs });
  const { routing, ifSeqNo } = action;
  const isConditional = ifSeqNo !== undefined;
  checkStreamItem(target, { action: action.action, routing, isConditional, source: request.body });
  return target;
}

/** The `error` of a failed item as an error of the whole request. */
function itemError(json: Uint8Array): QuarryError {
  const item = JSON.parse(Buffer.from(json).toString('utf8')) as JsonObject;
  return errorOf(item['error']);
}

function errorOf(rendered: JsonValue | undefined): QuarryError {
  if (!isJsonObject(rendered)) return new QuarryError('internal_error', 'a failed item has no error');
  const { type, reason, caused_by, ...details } = rendered;
  const known = typeof type === 'string' && isErrorType(type) ? type : 'internal_error';
  const cause = caused_by === undefined ? {} : { cause: errorOf(caused_by) };
  return new QuarryError(known, typeof reason === 'string' ? reason : '', { details, ...cause });
}
