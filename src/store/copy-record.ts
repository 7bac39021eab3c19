/** What a copy of a shard keeps beside its files: which copy it is, and of which index, should nobody else know. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { QuarryError } from '../base/errors.js';
import { isJsonObject } from '../base/json-value.js';
import { fileError, readCheckedNow, readIfWhole, writeChecked } from './files.js';

export interface CopyRecord {
  /** The files hold what the copy with this allocation had. */
  readonly allocationId: string;
  /**
   * The copy that left the files, if it was in sync when this one began with them. As long as it is, the files are as good as
   * before: nothing was acknowledged that it lacked, and the primary takes nothing away that was.
   */
  readonly formerAllocationId?: string;
  readonly index: string;
  readonly indexCreatedAtMs: number;
}

const FILE = 'copy';

/** The copies that the files stand for, the newest first. */
export function copiesOfRecord({ allocationId, formerAllocationId }: CopyRecord): readonly string[] {
  return formerAllocationId === undefined ? [allocationId] : [allocationId, formerAllocationId];
}

/** Undefined when there is none: of versions that kept none. */
export function readCopyRecord(directory: string): CopyRecord | undefined {
  const path = join(directory, FILE);
  const text = readCheckedNow(path);
  if (text === undefined) return undefined;
  const record = parsed(text);
  if (record !== undefined) return record;
  throw new QuarryError('corrupt_index_exception', `file [${path}] does not say which copy of a shard this is`);
}

/** Undefined also when it is damaged. */
export function readWholeCopyRecord(directory: string): CopyRecord | undefined {
  try {
    return readCopyRecord(directory);
  } catch {
    return undefined;
  }
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
  if (readIfWhole(path) !== text) await writeChecked(path, text);
}

function parsed(text: string): CopyRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const { allocationId, formerAllocationId, index, indexCreatedAtMs } = value;
  if (typeof allocationId !== 'string' || typeof index !== 'string' || typeof indexCreatedAtMs !== 'number')
    return undefined;
  const former = typeof formerAllocationId === 'string' ? { formerAllocationId } : {};
  return { allocationId, ...former, index, indexCreatedAtMs };
}
