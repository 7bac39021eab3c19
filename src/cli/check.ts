/** `quarry check DATA`: reads every byte of a data directory and says what is wrong where. */
import { join } from 'node:path';
import { checkRaft, checkShard, type Finding } from '../native/check.js';
import { nodePaths } from '../node/paths.js';
import { RaftFiles } from '../node/raft-member.js';
import { directoriesIn } from '../store/files.js';
import { lockDataDirectory } from '../store/data-lock.js';

export interface CheckReport {
  readonly shardCount: number;
  readonly findings: readonly Finding[];
}

/** No node may run in the directory meanwhile. */
export async function checkData(dataPath: string): Promise<CheckReport> {
  const paths = nodePaths(dataPath, dataPath);
  const lock = lockDataDirectory(paths.data);
  try {
    const findings = [...(await checkState(paths.clusterState))];
    let shardCount = 0;
    for (const index of directoriesIn(paths.indices)) {
      for (const shard of directoriesIn(join(paths.indices, index))) {
        shardCount++;
        findings.push(...checkShard(join(paths.indices, index, shard)));
      }
    }
    return { shardCount, findings };
  } finally {
    lock.release();
  }
}

async function checkState(path: string): Promise<readonly Finding[]> {
  const raft = new RaftFiles(path);
  if ((await raft.knownId()) !== undefined) return checkRaft(raft.directory);
  return [{ file: path, place: 'file', problem: 'is missing: this is no data directory' }];
}
