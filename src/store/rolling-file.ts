/** Files of lines that follow each other, a new one each day and when one is full; the oldest are removed. */
import { statSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.js';
import { fileError, filesIn } from './files.js';

export interface RollingFileOptions {
  readonly directory: string;
  /** Files are called `<name>.<year-month-day>.<number>.log`. */
  readonly name: string;
  /** A file that would grow beyond it is followed by the next. */
  readonly fileBytesMax: number;
  /** Files that are kept, with the one that is written. */
  readonly fileCountMax: number;
  /** Of all of them together, but for the one that is written. */
  readonly totalBytesMax: number;
  readonly clock: Clock;
  /** Called when an old file could not be removed. */
  readonly onError: (error: Error) => void;
}

/** What appends to a file and can go on with another one. */
interface Appender {
  write(line: string): boolean;
  reopen(path: string): void;
}

interface Place {
  readonly file: string;
  /** In UTC. */
  readonly day: string;
  readonly number: number;
}

export class RollingFile {
  private readonly options: RollingFileOptions;
  private readonly appender: Appender;
  private place: Place;
  private bytes: number;

  /** `open` opens the file that is written first: the newest of today, or a new one. */
  constructor(options: RollingFileOptions, open: (path: string) => Appender) {
    this.options = options;
    const today = this.today();
    this.place = this.existing().findLast(({ day }) => day === today) ?? this.placeAt(today, 1);
    const path = join(options.directory, this.place.file);
    this.bytes = this.sizeOf(this.place.file);
    this.appender = open(path);
    void this.removeOld();
  }

  write(line: string): void {
    const length = Buffer.byteLength(line);
    const today = this.today();
    if (today !== this.place.day) this.follow(this.placeAt(today, 1));
    else if (this.bytes > 0 && this.bytes + length > this.options.fileBytesMax)
      this.follow(this.placeAt(today, this.place.number + 1));
    this.bytes += length;
    this.appender.write(line);
  }

  private follow(next: Place): void {
    this.place = next;
    this.bytes = 0;
    this.appender.reopen(join(this.options.directory, next.file));
    void this.removeOld();
  }

  private sizeOf(file: string): number {
    return statSync(join(this.options.directory, file), { throwIfNoEntry: false })?.size ?? 0;
  }

  private today(): string {
    return new Date(this.options.clock.nowMs()).toISOString().slice(0, 'yyyy-MM-dd'.length);
  }

  private placeAt(day: string, number: number): Place {
    return { file: `${this.options.name}.${day}.${number}.log`, day, number };
  }

  /** Oldest first. */
  private existing(): readonly Place[] {
    const places = filesIn(this.options.directory).flatMap((file) => {
      const { day, number } = /^.*\.(?<day>\d{4}-\d\d-\d\d)\.(?<number>\d{1,9})\.log$/.exec(file)?.groups ?? {};
      const place = this.placeAt(day ?? '', Number(number));
      return place.file === file ? [place] : [];
    });
    return places.sort((left, right) => left.day.localeCompare(right.day) || left.number - right.number);
  }

  private async removeOld(): Promise<void> {
    const { fileCountMax, totalBytesMax, fileBytesMax } = this.options;
    const others = this.existing().filter(({ file }) => file !== this.place.file);
    // The newest first: what does not fit beside those that are kept goes, and so does everything older.
    let kept = 0;
    let leftBytes = totalBytesMax - fileBytesMax;
    for (const { file } of others.toReversed()) {
      leftBytes -= this.sizeOf(file);
      if (kept >= fileCountMax - 1 || leftBytes < 0) break;
      kept++;
    }
    for (const { file } of others.slice(0, others.length - kept)) {
      const path = join(this.options.directory, file);
      await unlink(path).catch((error: unknown) => {
        this.options.onError(fileError('remove', path, error));
      });
    }
  }
}
