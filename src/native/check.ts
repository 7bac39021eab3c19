/** Is a directory whole? */
import { QuarryError } from '../base/errors.js';
import { native } from './addon.js';
import { guarded } from './errors.js';

export interface Finding {
  readonly file: string;
  readonly place: string;
  readonly problem: string;
}

/** Reads every byte of the newest commit and of the translog. An empty answer means whole. */
export function checkShard(directory: string): readonly Finding[] {
  return guarded(() => JSON.parse(native().check(directory)) as Finding[]);
}

/** Reads every byte of a node's part in the agreement on the cluster state. An empty answer means whole. */
export function checkRaft(directory: string): readonly Finding[] {
  try {
    guarded(() => native().NativeRaft.check(directory));
    return [];
  } catch (error) {
    if (!(error instanceof QuarryError) || error.type !== 'corrupt_index_exception') throw error;
    return [{ file: directory, place: 'raft', problem: error.message }];
  }
}
