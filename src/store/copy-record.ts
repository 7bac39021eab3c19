/** What a copy of a shard keeps beside its files: which copy it is, and of which index, should nobody else know. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { QuarryError } from '../base/errors.js';
import { isJsonObject } from '../base/json-value.js';
import { fileError, readChecked, writeChecked } from './files.js';

export interface CopyRecord {
  /** The files hold what the copy with this allocation had. */
  readonly allocationId: string;
  readonly index: string;
  readonly indexCreatedAtMs: number;
}

const FILE = 'copy';

/** Undefined when there is none: of versions that kept none. */
export async function readCopyRecord(directory: string): Promise<CopyRecord | undefined> {
  const path = join(directory, FILE);
  const text = await readChecked(path);
  if (text === undefined) return undefined;
  const record = parsed(text);
  if (record !== undefined) return record;
  throw new QuarryError('corrupt_index_exception', `file [${path}] does not say which copy of a shard this is`);
}

/** Resolves when it is on disk; what is there already is left. Makes the directory. */
export async function writeCopyRecord(directory: string, record: CopyRecord): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
  } catch (error) {
    throw fileError('create directory', directory, error);
  }
  const text = JSON.stringify(record);
  const path = join(directory, FILE);
  // A damaged one is written anew.
  const former = await readChecked(path).catch(() => undefined);
  if (former !== text) await writeChecked(path, text);
}

function parsed(text: string): CopyRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const { allocationId, index, indexCreatedAtMs } = value;
  if (typeof allocationId !== 'string' || typeof index !== 'string' || typeof indexCreatedAtMs !== 'number')
    return undefined;
  return { allocationId, index, indexCreatedAtMs };
}
