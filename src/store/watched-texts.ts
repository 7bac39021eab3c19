/** Small files that people edit while a node runs: read at the start, and again when one has changed. */
import { readFile, stat } from 'node:fs/promises';
import type { Clock } from '../base/clock.js';
import { QuarryError } from '../base/errors.js';
import { fileError } from './files.js';

const LOOK_MS = 1_000;
const BYTES_MAX = 4 * 1024 * 1024;

export interface WatchedTextsOptions {
  readonly paths: readonly string[];
  readonly clock: Clock;
  /** The texts in the order of the paths; empty for a file that is not there. Called at the start, and after each change. */
  readonly onTexts: (texts: readonly string[]) => void;
  /** What was read last is kept. Called once for each error until it is another one. */
  readonly onError: (error: Error) => void;
  /** After an error: the files can be read again. */
  readonly onMended: () => void;
}

export class WatchedTexts {
  private readonly options: WatchedTextsOptions;
  private seen = '';
  private failure: string | undefined;
  private stopTimer: () => void = () => undefined;
  private isClosed = false;

  constructor(options: WatchedTextsOptions) {
    this.options = options;
  }

  /** Resolves when the files were read once. */
  async start(): Promise<void> {
    await this.look();
    if (this.isClosed) return;
    this.stopTimer = this.options.clock.schedule(LOOK_MS, () => void this.start());
  }

  close(): void {
    this.isClosed = true;
    this.stopTimer();
  }

  private async look(): Promise<void> {
    try {
      await this.read();
      if (this.failure !== undefined) this.options.onMended();
      this.failure = undefined;
    } catch (error) {
      const { message } = error as Error;
      if (message !== this.failure) this.options.onError(error as Error);
      this.failure = message;
    }
  }

  private async read(): Promise<void> {
    const { paths, onTexts } = this.options;
    const marks = await inOrder(paths.map(markOf));
    const mark = marks.join('\n');
    if (mark === this.seen) return;
    const texts = await inOrder(paths.map(textOf));
    // Only now: what could not be read is read again.
    this.seen = mark;
    onTexts(texts);
  }
}

/** Where several cannot be read, the first of them is told of each time, and not whichever failed first. */
async function inOrder(reads: readonly Promise<string>[]): Promise<readonly string[]> {
  await Promise.allSettled(reads);
  return Promise.all(reads);
}

/** Tells one state of a file from the next. */
async function markOf(path: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(path);
    if (size > BYTES_MAX) {
      throw new QuarryError('i_o_exception', `file [${path}] has [${size}] bytes, more than [${BYTES_MAX}]`);
    }
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'absent';
    throw error instanceof QuarryError ? error : fileError('read', path, error);
  }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw fileError('read', path, error);
  }
}
