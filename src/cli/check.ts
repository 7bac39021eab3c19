/** `quarry check DATA`: reads every byte of a data directory and says what is wrong where. */
import { systemClock } from '../base/clock.js';
import { asQuarryError } from '../base/error-wire.js';
import { TurnOfLoop } from '../base/turn-of-loop.js';
import { checkRaft, checkShard, type Finding } from '../native/check.js';
import { nodePaths } from '../node/paths.js';
import { RaftFiles } from '../node/coordinator/raft-member.js';
import { readCopyRecord } from '../store/copy-record.js';
import { decodeIndex } from '../cluster/state-codec.js';
import { lockDataDirectory } from '../store/data-lock.js';
import { readChecked } from '../store/files.js';
import { readIndexRecord } from '../store/index-record.js';
import { indexDirectory, shardDirectory } from '../store/layout.js';
import { shardPlaces } from '../store/shard-directories.js';

export interface CheckReport {
  readonly shardCount: number;
  readonly findings: readonly Finding[];
}

/** No node may run in the directory meanwhile. */
export async function checkData(dataPath: string): Promise<CheckReport> {
  const paths = nodePaths(dataPath, dataPath);
  const lock = lockDataDirectory(paths.data);
  try {
    const findings = [...(await checkState(paths.clusterState)), ...(await checkNodeId(paths.nodeId))];
    let shardCount = 0;
    const places = await shardPlaces(paths.indices, new TurnOfLoop(systemClock));
    for (const indexUuid of new Set(places.map((place) => place.indexUuid))) {
      findings.push(...(await checkIndexRecord(paths.indices, indexUuid)));
    }
    for (const { indexUuid, shard } of places) {
      const directory = shardDirectory(paths.indices, indexUuid, shard);
      shardCount++;
      findings.push(...checkShard(directory), ...checkRecord(directory));
    }
    return { shardCount, findings };
  } finally {
    lock.release();
  }
}

function checkRecord(directory: string): readonly Finding[] {
  try {
    readCopyRecord(directory);
    return [];
  } catch (error) {
    return [{ file: directory, place: 'copy', problem: asQuarryError(error).message }];
  }
}

async function checkIndexRecord(indicesPath: string, indexUuid: string): Promise<readonly Finding[]> {
  try {
    const text = await readIndexRecord(indicesPath, indexUuid);
    if (text !== undefined) decodeIndex(text);
    return [];
  } catch (error) {
    const file = indexDirectory(indicesPath, indexUuid);
    return [{ file, place: 'index', problem: asQuarryError(error).message }];
  }
}

async function checkState(path: string): Promise<readonly Finding[]> {
  const raft = new RaftFiles(path);
  try {
    if ((await raft.knownId()) !== undefined) return checkRaft(raft.directory);
  } catch (error) {
    return [{ file: path, place: 'raft-id', problem: asQuarryError(error).message }, ...checkRaft(raft.directory)];
  }
  return [{ file: path, place: 'file', problem: 'is missing: this is no data directory' }];
}

/** Without its id a node is another one, and what lies here is nobody's. */
async function checkNodeId(path: string): Promise<readonly Finding[]> {
  try {
    if ((await readChecked(path)) !== undefined) return [];
    return [{ file: path, place: 'file', problem: 'is missing: a node started here would not know its shards' }];
  } catch (error) {
    return [{ file: path, place: 'node id', problem: asQuarryError(error).message }];
  }
}
