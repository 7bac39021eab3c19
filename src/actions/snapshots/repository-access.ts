/** How a thread reaches the repositories of the cluster: what is open, how fast it may go, how far its copies are. */
import { resolve } from 'node:path';
import { Lanes } from '../../base/lanes.js';
import { findRepository } from '../../cluster/changes/snapshots/repositories.js';
import type { RepositoryRecord } from '../../cluster/snapshots/types.js';
import type { ClusterState } from '../../cluster/state.js';
import { OpenRepositories } from '../../repositories/open-repositories.js';
import type { Repository } from '../../repositories/repository.js';
import type { RepositoryPlaces } from '../../repositories/places.js';
import { NodePaces, paceWords } from '../../shard/replication/node-paces.js';
import type { Pace } from '../../shard/replication/push-segments.js';
import { SHARDS_AT_ONCE } from './shards-at-once.js';
import { SnapshotWriters } from './snapshot-writers.js';

/** Of one shard that is being copied. */
export interface CopyProgress {
  readonly startedAtMs: number;
  readonly files: number;
  readonly bytes: number;
  readonly newFiles: number;
  readonly newBytes: number;
  readonly doneFiles: number;
  readonly doneBytes: number;
}

/** Pieces of mounted shards that a thread fetches at once, of 4 MB at most. */
const PIECES_MAX = 4;
const ANALYSES_MAX = 4;

type Rates = Pick<Repository['options'], 'snapshotBytesPerSecond' | 'restoreBytesPerSecond'>;

export class RepositoryAccess {
  /** Of shards that this thread copies. */
  readonly copies = new Lanes(SHARDS_AT_ONCE);
  /** Of mounted shards whose files come while they serve. */
  readonly pieces = new Lanes(PIECES_MAX);
  /** Of this thread. */
  readonly writers = new SnapshotWriters();
  /** Of blobs of an analysis, which are in memory in part. */
  readonly analyses = new Lanes(ANALYSES_MAX);
  /** By snapshot and shard; as long as it lasts. */
  readonly progress = new Map<string, CopyProgress>();
  readonly places: RepositoryPlaces;
  /** What all threads of the node do together. */
  readonly paces: NodePaces;
  private readonly repositories: OpenRepositories;
  private readonly pacesByName = new Map<string, { readonly snapshot: Pace; readonly restore: Pace }>();
  /** As they are now, of the repositories that have paces: what is under way goes on at a new one. */
  private readonly rates = new Map<string, Rates>();

  constructor(places: RepositoryPlaces, paces = new NodePaces(places.clock, paceWords())) {
    this.places = { ...places, paths: places.paths.map((path) => resolve(path)) };
    this.paces = paces;
    this.repositories = new OpenRepositories(this.places);
  }

  /** Throws `repository_missing_exception`. */
  of(state: Pick<ClusterState, 'repositories'>, name: string): Repository {
    return this.ofRecord(findRepository(state, name));
  }

  ofRecord(record: RepositoryRecord): Repository {
    return this.repositories.of(record);
  }

  snapshotPace(repository: Repository): Pace {
    return this.pacesOf(repository).snapshot;
  }

  restorePace(repository: Repository): Pace {
    return this.pacesOf(repository).restore;
  }

  /** How long the threads of this node have waited for the rates of the repository. */
  waitedMs(name: string): { readonly read: number; readonly write: number } {
    return { read: this.paces.waitedMs(`restore/${name}`), write: this.paces.waitedMs(`snapshot/${name}`) };
  }

  follow(state: Pick<ClusterState, 'repositories'>): void {
    this.repositories.follow(state.repositories);
    for (const name of this.rates.keys()) {
      try {
        this.rates.set(name, this.of(state, name).options);
      } catch {
        // It is gone, or this node cannot open it: what goes on keeps its rate.
      }
    }
  }

  private pacesOf({ name, options }: Repository): { readonly snapshot: Pace; readonly restore: Pace } {
    // Who has it from an older state knows an older rate.
    if (!this.rates.has(name)) this.rates.set(name, options);
    let paces = this.pacesByName.get(name);
    if (paces === undefined) {
      const rate = (of: keyof Rates): number => this.rates.get(name)?.[of] ?? 0;
      paces = {
        snapshot: this.paces.pace(`snapshot/${name}`, () => rate('snapshotBytesPerSecond')),
        restore: this.paces.pace(`restore/${name}`, () => rate('restoreBytesPerSecond')),
      };
      this.pacesByName.set(name, paces);
    }
    return paces;
  }
}
