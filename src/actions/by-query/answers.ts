/** Counts what a batch of writes came to. */
import type { JsonObject, JsonValue } from '../../base/json-value.js';
import { isJsonObject } from '../../base/json-value.js';
import type { BulkAnswer, ManyWrites } from '../documents/bulk.js';
import type { Progress } from './progress.js';

const CONFLICT = 409;
const FAILED_FROM = 300;

const RESULTS = {
  created: Buffer.from('"result":"created"'),
  updated: Buffer.from('"result":"updated"'),
  deleted: Buffer.from('"result":"deleted"'),
  /** Of documents that a pipeline dropped. */
  noop: Buffer.from('"result":"noop"'),
} as const;

/** Failures that count are kept with their reasons; conflicts are only counted where the job goes on over them. */
export function recordAnswers(
  { errors, items }: BulkAnswer,
  writes: ManyWrites,
  abortsOnConflict: boolean,
  progress: Progress,
): void {
  const bytes = Buffer.from(items.buffer, items.byteOffset, items.byteLength);
  // Those that documents were asked to go to may be aliases, data streams or patterns of dates.
  for (const name of indicesIn(bytes)) progress.written.add(name);
  if (!errors) {
    // In a text the quotes would be escaped: what is found is a member.
    progress.created += count(bytes, RESULTS.created);
    progress.updated += count(bytes, RESULTS.updated);
    progress.noops += count(bytes, RESULTS.noop);
    // A document that is gone meanwhile counts as deleted.
    progress.deleted += writes.actions.filter(({ action }) => action === 'delete').length;
    return;
  }
  const parsed = JSON.parse(bytes.toString('utf8')) as JsonValue;
  for (const item of parsed as readonly JsonObject[]) {
    const [[action, answer] = ['', undefined]] = Object.entries(item);
    if (isJsonObject(answer)) recordItem(action, answer, abortsOnConflict, progress);
  }
}

function recordItem(action: string, answer: JsonObject, abortsOnConflict: boolean, progress: Progress): void {
  const { status, error } = answer;
  if (error === undefined || typeof status !== 'number' || status < FAILED_FROM) {
    if (action === 'delete') progress.deleted++;
    else if (answer['result'] === 'created') progress.created++;
    else if (answer['result'] === 'noop') progress.noops++;
    else progress.updated++;
    return;
  }
  // Its task was cancelled: that is told once.
  if (isJsonObject(error) && error['type'] === 'task_cancelled_exception') return;
  if (status === CONFLICT) {
    progress.versionConflicts++;
    if (!abortsOnConflict) return;
  }
  progress.failures.push({ index: answer['_index'], id: answer['_id'], cause: error, status });
}

const INDEX = Buffer.from('"_index":"');
const QUOTE = '"';

/** Names of indices hold nothing that is escaped. */
function indicesIn(bytes: Buffer): ReadonlySet<string> {
  const names = new Set<string>();
  for (let at = bytes.indexOf(INDEX); at !== -1; at = bytes.indexOf(INDEX, at)) {
    const start = at + INDEX.length;
    at = bytes.indexOf(QUOTE, start);
    if (at === -1) break;
    names.add(bytes.toString('utf8', start, at));
  }
  return names;
}

function count(bytes: Buffer, what: Buffer): number {
  let found = 0;
  for (let at = bytes.indexOf(what); at !== -1; at = bytes.indexOf(what, at + what.length)) found++;
  return found;
}
