/** Is a shard's directory whole? */
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
