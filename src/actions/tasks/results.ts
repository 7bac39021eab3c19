/** What tasks that nobody waited for came to: documents of the index `.tasks`, so that they outlive the node. */
import { asQuarryError } from '../../base/error-wire.js';
import type { JsonObject } from '../../base/json-value.js';
import { TASKS_INDEX } from '../../cluster/names/system-indices.js';
import type { ActionContext } from '../context.js';
import { PRIMARY } from '../copy-preference.js';
import { getDocument } from '../documents/get-documents.js';
import { writeDocument } from '../documents/write-document.js';
import { asSystem } from '../security/authority.js';
import { createIndex } from '../indices/create-index.js';

const CREATE_MS_MAX = 30_000;
const WRITE_MS_MAX = 60_000;

const SETTINGS: JsonObject = {
  'index.number_of_shards': 1,
  'index.number_of_replicas': 0,
  'index.auto_expand_replicas': '0-1',
  'index.hidden': true,
};

const keyword: JsonObject = { type: 'keyword' };
const unread: JsonObject = { type: 'object', enabled: false };

/** Answers are kept, not searched. */
const MAPPINGS: JsonObject = {
  dynamic: 'strict',
  properties: {
    completed: { type: 'boolean' },
    task: {
      properties: {
        action: keyword,
        cancellable: { type: 'boolean' },
        cancelled: { type: 'boolean' },
        id: { type: 'long' },
        node: keyword,
        parent_task_id: keyword,
        running_time_in_nanos: { type: 'long' },
        start_time_in_millis: { type: 'long' },
        type: keyword,
        description: { type: 'text' },
        headers: unread,
        status: unread,
        resource_stats: unread,
      },
    },
    response: unread,
    error: unread,
  },
};

/** `result` is the whole of what `GET _tasks/{id}` will show. */
export async function storeResult(asked: ActionContext, id: string, result: JsonObject): Promise<void> {
  const context = asSystem(asked);
  if (!context.clusterState().indices.has(TASKS_INDEX)) {
    const request = { name: TASKS_INDEX, settings: SETTINGS, mappings: MAPPINGS, ifAbsent: true };
    await createIndex(context, request, { masterTimeoutMs: CREATE_MS_MAX, timeoutMs: CREATE_MS_MAX });
  }
  const request = {
    index: TASKS_INDEX,
    action: { action: 'index', id },
    body: Buffer.from(JSON.stringify(result), 'utf8'),
    requireAlias: false,
    refresh: 'immediate',
    activeShards: undefined,
    timeoutMs: WRITE_MS_MAX,
  } as const;
  await writeDocument(request, context);
}

/** JSON; undefined: nothing is known of such a task. */
export async function storedResult(context: ActionContext, id: string): Promise<Uint8Array | undefined> {
  const address = { index: TASKS_INDEX, id, options: { sourceOnly: true } };
  try {
    const { result } = await getDocument(address, { refresh: false, copies: PRIMARY }, asSystem(context));
    return result.found && result.body.length > 0 ? result.body : undefined;
  } catch (thrown) {
    if (asQuarryError(thrown).type === 'index_not_found_exception') return undefined;
    throw thrown;
  }
}
