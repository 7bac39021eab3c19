/** Where a node keeps its part of what the cluster agreed on, and how it is opened. */
import { join } from 'node:path';
import { systemRandom } from '../../base/random.js';
import { ELECTION_TICKS, HEARTBEAT_TICKS } from '../../coordinator/cluster-member.js';
import { hasRaftMember, RaftMember } from '../../native/raft.js';
import { makeDirectory, readChecked, writeChecked } from '../../store/files.js';

const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;
const MESSAGES_IN_FLIGHT_MAX = 64;
const UNCOMMITTED_BYTES_MAX = 256 * 1024 * 1024;
const KEPT_ENTRIES = 500;
const SEEDS = 0xffff_ffff;

export class RaftFiles {
  readonly directory: string;
  private readonly idPath: string;

  /** `path`: the directory of what the cluster agreed on. */
  constructor(path: string) {
    this.directory = join(path, 'raft');
    this.idPath = join(path, 'raft-id');
  }

  /** The number that this node has in its group; undefined when it never took part in one. */
  async knownId(): Promise<string | undefined> {
    return hasRaftMember(this.directory) ? readChecked(this.idPath) : undefined;
  }

  /** The first voters matter for a node only that never took part in a group. */
  async open(id: string, isElectable: boolean, initialVoters: readonly string[]): Promise<RaftMember> {
    makeDirectory(this.directory);
    await writeChecked(this.idPath, id);
    return RaftMember.open({
      directory: this.directory,
      id,
      electionTicks: ELECTION_TICKS,
      heartbeatTicks: HEARTBEAT_TICKS,
      mayLead: isElectable,
      seed: systemRandom.below(SEEDS),
      messageBytesMax: MESSAGE_BYTES_MAX,
      messagesInFlightMax: MESSAGES_IN_FLIGHT_MAX,
      uncommittedBytesMax: UNCOMMITTED_BYTES_MAX,
      committedBytesMax: MESSAGE_BYTES_MAX,
      keptEntries: KEPT_ENTRIES,
      initialVoters,
    });
  }
}
