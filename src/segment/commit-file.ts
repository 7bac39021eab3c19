/** The commit point of a shard directory: `schema/commit.fbs` in its checksummed envelope. */
import { ByteBuffer } from 'flatbuffers';
import { crc32c } from './crc32c.js';
import { damage, decodeFlatBuffer, required } from './damage.js';
import { CommitPoint } from './generated/commit-point.js';

const MAGIC = 'QRYCMIT\n';
const FORMAT_VERSION = 1;
const HEADER_BYTES = 16;
const CHECKSUM_BYTES = 4;

export interface CommitSegmentDescription {
  readonly name: string;
  readonly uuid: string;
  readonly maxDoc: number;
  readonly deletedCount: number;
  /** 0: nothing is deleted. */
  readonly liveDocsGeneration: bigint;
  /** Length of the segment file. */
  readonly bytes: number;
}

export interface CommitDescription {
  readonly generation: bigint;
  readonly segments: readonly CommitSegmentDescription[];
  readonly maxSeqNo: bigint;
  readonly localCheckpoint: bigint;
  readonly translogGeneration: bigint;
  readonly primaryTerm: bigint;
  readonly historyUuid: string;
  readonly userData: Readonly<Record<string, string>>;
}

/** As it lies on a disk. */
export interface StoredCommit extends CommitDescription {
  readonly writtenAtMs: number;
}

/** `bytes` is the whole file; `file` is what errors call it. */
export function readCommitDescription(bytes: Uint8Array, file: string): CommitDescription {
  const body = openEnvelope(bytes, file);
  return decodeFlatBuffer(file, 'commit point', () => describe(CommitPoint.getRootAsCommitPoint(new ByteBuffer(body))));
}

function openEnvelope(bytes: Uint8Array, file: string): Uint8Array {
  const fail = (problem: string) => damage(file, 'commit point', problem);
  const end = bytes.length - CHECKSUM_BYTES;
  if (end < HEADER_BYTES) throw fail(`file of ${bytes.length} bytes is cut off`);
  if (Buffer.from(bytes.subarray(0, 8)).toString('latin1') !== MAGIC) throw fail('wrong magic');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.getUint32(8, true) !== FORMAT_VERSION) throw fail(`format version ${view.getUint32(8, true)} is unknown`);
  if (HEADER_BYTES + view.getUint32(12, true) !== end) throw fail('another length of the file');
  if (crc32c(bytes.subarray(0, end)) !== view.getUint32(end, true)) throw fail('checksum does not match');
  return bytes.subarray(HEADER_BYTES, end);
}

function describe(table: CommitPoint): CommitDescription {
  const userData: Record<string, string> = {};
  for (let place = 0; place < table.userDataLength(); place++) {
    const datum = required(table.userData(place), `user datum ${place}`);
    userData[required(datum.key(), 'key')] = required(datum.value(), 'value');
  }
  return {
    generation: table.generation(),
    segments: Array.from({ length: table.segmentsLength() }, (_, place) => describeSegment(table, place)),
    maxSeqNo: table.maxSeqNo(),
    localCheckpoint: table.localCheckpoint(),
    translogGeneration: table.translogGeneration(),
    primaryTerm: table.primaryTerm(),
    historyUuid: required(table.historyUuid(), 'history uuid'),
    userData,
  };
}

function describeSegment(table: CommitPoint, place: number): CommitSegmentDescription {
  const segment = required(table.segments(place), `segment ${place}`);
  return {
    name: `_${segment.number().toString(36)}`,
    uuid: Buffer.from(required(segment.uuidArray(), 'uuid')).toString('hex'),
    maxDoc: segment.maxDoc(),
    deletedCount: segment.deletedCount(),
    liveDocsGeneration: segment.liveDocsGeneration(),
    bytes: Number(segment.bytes()),
  };
}
