/**
 * Whether all that a repository says that it holds is there: every piece of metadata is read, every file is looked for, and read
 * as well where that is asked for.
 */
import { asQuarryError } from '../../base/error-wire.js';
import { QuarryError, type ErrorType } from '../../base/errors.js';
import { eachAtOnce } from '../../base/each-at-once.js';
import { Lanes } from '../../base/lanes.js';
import type { RepositoryRecord } from '../../cluster/snapshots/types.js';
import type { RepositoryRoot, RootIndex, StoredFile } from '../../repositories/format.js';
import { indexFolder, shardFolder, type Repository } from '../../repositories/repository.js';
import { pacer } from '../../shard/replication/pacer.js';
import type { Pace } from '../../shard/replication/push-segments.js';
import type { ActionContext } from '../context.js';
import { checkNotLost } from './known-root.js';
import { verifyContents } from './verify-contents.js';

export interface Anomaly {
  readonly what: string;
  readonly error?: { readonly type: ErrorType; readonly reason: string };
  readonly snapshot?: { readonly name: string; readonly uuid: string };
  readonly index?: { readonly name: string; readonly id: string };
  readonly shard?: number;
}

interface ShownFile {
  readonly file: StoredFile;
  readonly shown: Omit<Anomaly, 'what'>;
}

export interface IntegrityOptions {
  readonly snapshotsAtOnce: number;
  readonly indicesAtOnce: number;
  /** Of each index. */
  readonly shardsAtOnce: number;
  /** Pieces of metadata that are read at once, over all. */
  readonly metadataAtOnce: number;
  /** How files are read; undefined: they are not. */
  readonly contents: { readonly filesAtOnce: number; readonly bytesPerSecond: number } | undefined;
  /** More of them end the work. */
  readonly anomaliesMax: number;
}

export interface IntegrityReport {
  readonly anomalies: readonly Anomaly[];
  readonly snapshots: number;
  readonly indices: number;
  readonly indexSnapshots: number;
  readonly root: RepositoryRoot;
  /** Another one than that of `root` if somebody wrote meanwhile, and what was found may mean nothing. */
  readonly finalGeneration: number;
}

export async function verifyIntegrity(
  context: ActionContext,
  record: RepositoryRecord,
  options: IntegrityOptions,
): Promise<IntegrityReport> {
  const repository = context.repositories.ofRecord(record);
  const root = await repository.storedRoot();
  checkNotLost(repository, record, root.generation);
  const check = new IntegrityCheck(context, repository, root, options);
  const anomalies = await check.run();
  const indexSnapshots = root.indices.reduce((sum, { snapshots }) => sum + Object.keys(snapshots).length, 0);
  return {
    anomalies,
    snapshots: root.snapshots.length,
    indices: root.indices.length,
    indexSnapshots,
    root,
    finalGeneration: (await repository.root()).generation,
  };
}

class IntegrityCheck {
  private readonly context: ActionContext;
  private readonly repository: Repository;
  private readonly root: RepositoryRoot;
  private readonly options: IntegrityOptions;
  private readonly anomalies: Anomaly[] = [];
  private readonly metadata: Lanes;
  private readonly files: Lanes;
  private readonly pace: Pace;

  constructor(context: ActionContext, repository: Repository, root: RepositoryRoot, options: IntegrityOptions) {
    this.context = context;
    this.repository = repository;
    this.root = root;
    this.options = options;
    const { filesAtOnce = 1, bytesPerSecond = 0 } = options.contents ?? {};
    this.metadata = new Lanes(options.metadataAtOnce);
    this.files = new Lanes(filesAtOnce);
    this.pace = pacer(context.clock, () => bytesPerSecond);
  }

  async run(): Promise<readonly Anomaly[]> {
    const { snapshots, indices } = this.root;
    await eachAtOnce(snapshots, this.options.snapshotsAtOnce, async ({ name, uuid }) => {
      const snapshot = { name, uuid };
      await this.tried({ what: 'failed to load snapshot info', snapshot }, () => this.repository.snapshot(uuid));
      await this.tried({ what: 'failed to load global metadata', snapshot }, () =>
        this.repository.clusterMetadata(uuid),
      );
    });
    await eachAtOnce(indices, this.options.indicesAtOnce, (index) => this.checkIndex(index));
    return this.anomalies;
  }

  private async checkIndex(index: RootIndex): Promise<void> {
    const shown = { index: { name: index.name, id: index.id } };
    for (const blob of new Set(Object.values(index.snapshots))) {
      const what = `failed to load index metadata [${indexFolder(index.id)}/${blob}]`;
      await this.tried({ what, ...shown }, () => this.repository.indexMetadata(index.id, blob));
    }
    for (const [uuid] of Object.entries(index.snapshots)) {
      if (this.root.snapshots.some((snapshot) => snapshot.uuid === uuid)) continue;
      this.note({ what: `snapshot [${uuid}] of the index is not in the repository`, ...shown });
    }
    await eachAtOnce([...index.shards.entries()], this.options.shardsAtOnce, async ([shard, generation]) => {
      if (generation !== '') await this.checkShard(index, shard, generation);
    });
  }

  private async checkShard(index: RootIndex, shard: number, generation: string): Promise<void> {
    const shown = { index: { name: index.name, id: index.id }, shard };
    const folder = shardFolder(index.id, shard);
    const entries = await this.tried({ what: 'failed to load shard generation', ...shown }, () =>
      this.repository.shard(index.id, shard, generation),
    );
    const listing = await this.tried({ what: `failed to list [${folder}]`, ...shown }, () =>
      this.repository.store.list(folder),
    );
    if (entries === undefined || listing === undefined) return;
    const whole = new Map<string, ShownFile>();
    for (const [uuid, entry] of Object.entries(entries)) {
      const name = this.root.snapshots.find((snapshot) => snapshot.uuid === uuid)?.name;
      // A clone or deletion that was cut off: no snapshot leads there.
      if (name === undefined) continue;
      const ofSnapshot = { ...shown, snapshot: { name, uuid } };
      await this.tried({ what: 'failed to load set of segments', ...ofSnapshot }, () =>
        this.repository.segments(index.id, shard, uuid),
      );
      for (const file of entry.files) {
        const fault = this.faultOf(file, listing.blobs, folder);
        if (fault !== undefined) this.note({ what: fault, ...ofSnapshot });
        else whole.set(this.repository.allBlobsOf(file).join(), { file, shown: ofSnapshot });
      }
    }
    const { contents } = this.options;
    if (contents === undefined) await this.checkParts(index.id, shard, folder, [...whole.values()]);
    else await this.checkContents(index.id, shard, folder, [...whole.values()], contents.filesAtOnce);
  }

  private async checkParts(indexId: string, shard: number, folder: string, files: readonly ShownFile[]): Promise<void> {
    for (const { file, shown } of files) {
      if (file.parts === undefined) continue;
      const what = `failed to load checksums [${folder}/${this.repository.partsOf(file)}] of file [${file.name}]`;
      await this.tried({ what, ...shown }, () => this.repository.parts(indexId, shard, file));
    }
  }

  /** Each file once, however many snapshots have it. */
  private async checkContents(
    indexId: string,
    shard: number,
    folder: string,
    files: readonly ShownFile[],
    filesAtOnce: number,
  ): Promise<void> {
    await eachAtOnce(files, filesAtOnce, async ({ file, shown }) => {
      const what = `corrupt data blob [${folder}/${this.repository.blobsOf(file)[0] ?? ''}] of file [${file.name}]`;
      await this.tried(
        { what, ...shown },
        () => verifyContents(this.repository, indexId, shard, file, this.pace),
        this.files,
      );
    });
  }

  private faultOf(file: StoredFile, blobs: ReadonlyMap<string, number>, folder: string): string | undefined {
    const names = this.repository.blobsOf(file);
    const missing = this.repository.allBlobsOf(file).find((name) => !blobs.has(name));
    if (missing !== undefined) return `missing blob [${folder}/${missing}] of file [${file.name}]`;
    const length = names.reduce((sum, name) => sum + (blobs.get(name) ?? 0), 0);
    if (length === file.length) return undefined;
    return `mismatched blob length of file [${file.name}], [${folder}/${names[0]}]: [${length}] and not [${file.length}]`;
  }

  /** Undefined where it failed, which is noted. */
  private async tried<Result>(
    anomaly: Anomaly,
    read: () => Promise<Result>,
    lanes = this.metadata,
  ): Promise<Result | undefined> {
    const { cancellation } = this.context;
    cancellation.throwIfCancelled();
    try {
      return await lanes.run(async () => {
        cancellation.throwIfCancelled();
        return read();
      });
    } catch (error) {
      cancellation.throwIfCancelled();
      const { type, message: reason } = asQuarryError(error);
      this.note({ ...anomaly, error: { type, reason } });
      return undefined;
    }
  }

  private note(anomaly: Anomaly): void {
    if (this.anomalies.length >= this.options.anomaliesMax) {
      const reason = `[${this.repository.name}] has more than [${this.options.anomaliesMax}] anomalies (max_failed_shard_snapshots)`;
      throw new QuarryError('repository_verification_exception', reason);
    }
    this.anomalies.push(anomaly);
  }
}
