/** `quarry check DATA`: reads every byte of a data directory and says what is wrong where. */
import { join } from 'node:path';
import { QuarryError } from '../base/errors.js';
import { decodeState } from '../cluster/state-codec.js';
import { checkShard, type Finding } from '../native/check.js';
import { decodePublication } from '../coordinator/publication-codec.js';
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

/** What the cluster agreed on: opening verifies the files, and what they hold must be a state. */
async function checkState(path: string): Promise<readonly Finding[]> {
  try {
    const raft = new RaftFiles(path);
    const id = await raft.knownId();
    if (id === undefined) return [{ file: path, place: 'file', problem: 'is missing: this is no data directory' }];
    const member = await raft.open(id, false, []);
    const recovered = member.takeRecovered();
    if (recovered !== undefined && recovered.data.length > 0) decodeState(Buffer.from(recovered.data).toString('utf8'));
    while (member.ready() !== undefined) {
      for (const { data } of member.persist().committed) if (data.length > 0) decodePublication(data);
    }
    member.close();
    return [];
  } catch (error) {
    if (error instanceof QuarryError) return [{ file: path, place: 'file', problem: error.message }];
    throw error;
  }
}
