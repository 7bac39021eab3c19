/** What is asked of snapshots, and what was measured of it. */
import { loadavg } from 'node:os';

interface Verdict {
  readonly what: string;
  readonly measured: string;
  readonly asked: string;
  readonly holds: boolean;
}

export class Verdicts {
  private readonly all: Verdict[] = [];

  add(what: string, measured: string, asked: string, holds: boolean): void {
    this.all.push({ what, measured, asked, holds });
    console.log(`${what}: ${measured} (asked: ${asked}${holds ? '' : '; MISSED'})`);
  }

  /** With how busy the machine was meanwhile. */
  summary(): string {
    const missed = this.all.filter(({ holds }) => !holds);
    const lines = missed.map(({ what, measured, asked }) => `MISSED ${what}: ${measured}, asked ${asked}`);
    const load = loadavg().map((each) => each.toFixed(1));
    return [`${this.all.length - missed.length} of ${this.all.length} hold; load ${load.join(' ')}`, ...lines].join(
      '\n',
    );
  }
}
