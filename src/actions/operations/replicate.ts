/** What a primary has its replicas do: `shard/replication` sends these, over the copy's link. */
import { isSystemIndex } from '../../cluster/names/system-indices.js';
import type {
  Alignment,
  AppendRequest,
  CopyProgress,
  FilesAnswer,
  FilesRequest,
  FinalizeRequest,
  PrimaryHead,
  RetentionRequest,
  SetRequest,
  WriteFileRequest,
} from '../../shard/replication/copy-link.js';
import { defineReplicaOperation } from '../shard-operation.js';

export const replicaAlign = defineReplicaOperation('replica-align', (shard, input: PrimaryHead): Promise<Alignment> =>
  shard.align(input),
);

export const replicaAppend = defineReplicaOperation(
  'replica-append',
  (shard, input: AppendRequest, { pressure }): Promise<CopyProgress> =>
    pressure.replicate(input.operations.length, isSystemIndex(shard.key.index), () => shard.append(input)),
);

export const replicaFiles = defineReplicaOperation(
  'replica-files',
  (shard, input: FilesRequest): Promise<FilesAnswer> => shard.missingFiles(input),
);

export const replicaWriteFile = defineReplicaOperation(
  'replica-write-file',
  async (shard, input: WriteFileRequest): Promise<null> => {
    await shard.writeFile(input);
    return null;
  },
);

export const replicaInstall = defineReplicaOperation(
  'replica-install',
  (shard, input: SetRequest): Promise<CopyProgress> => shard.install(input),
);

export const replicaFinalize = defineReplicaOperation('replica-finalize', (shard, input: FinalizeRequest): null => {
  shard.finalize(input);
  return null;
});

export const replicaRetain = defineReplicaOperation('replica-retain', (shard, input: RetentionRequest): null => {
  shard.retain(input);
  return null;
});
