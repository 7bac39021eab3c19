/**
 * What a node writes into segments: the sizes of all segment files that appear in the folders of its shards. Those of merges are
 * counted by the node; the others came from refreshes and full buffers.
 */
import { readdirSync, statSync, watch, type FSWatcher } from 'node:fs';
import path from 'node:path';

const SEGMENT = /\.seg$/u;

export class WrittenFiles {
  private readonly watchers: FSWatcher[] = [];
  /** Largest size seen, by file. */
  private readonly sizes = new Map<string, number>();

  /** `data`: folders of the nodes. Begin when all shards have been made. */
  constructor(data: readonly string[], indexUuid: string) {
    for (const folder of data.flatMap((each) => shardFolders(path.join(each, 'indices', indexUuid)))) {
      for (const name of readdirSync(folder)) this.look(folder, name);
      this.watchers.push(watch(folder, (_event, name) => this.look(folder, name ?? '')));
    }
  }

  get bytes(): number {
    return [...this.sizes.values()].reduce((sum, size) => sum + size, 0);
  }

  stop(): void {
    for (const watcher of this.watchers) watcher.close();
  }

  private look(folder: string, name: string): void {
    if (!SEGMENT.test(name)) return;
    const file = path.join(folder, name);
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    this.sizes.set(file, Math.max(size, this.sizes.get(file) ?? 0));
  }
}

function shardFolders(index: string): readonly string[] {
  try {
    return readdirSync(index, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => path.join(index, name));
  } catch {
    // A node without a shard of the index.
    return [];
  }
}
