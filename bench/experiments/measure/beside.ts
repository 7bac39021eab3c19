/** What happens beside a load: segments and merges over time, and searches in slices of which each says whether a merge ran. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchCluster } from '../../cluster/nodes.js';
import { quantile } from '../../quantile.js';
import type { Query } from '../data/queries.js';
import type { FigureName } from '../figures.js';
import type { Curves } from '../point.js';
import { indexStatistics } from './index-statistics.js';
import { timeSlice, type SearchEffort, type SearchTimes } from './searches.js';

const LOOK_MS = 100;
/** Of a curve that is kept; more show no more. */
const CURVE_POINTS_MAX = 400;

interface Look {
  readonly seconds: number;
  readonly segments: number;
  readonly storeBytes: number;
  readonly mergedBytes: number;
  readonly isMerging: boolean;
}

interface Slice {
  readonly from: number;
  readonly to: number;
  readonly times: SearchTimes;
}

export interface Seen {
  readonly figures: Partial<Record<FigureName, number>>;
  readonly curves: Curves;
}

export class Beside {
  private readonly startMs = performance.now();
  private readonly looks: Look[] = [];
  private readonly slices: Slice[] = [];
  private isEnded = false;
  private readonly work: Promise<unknown>;

  constructor(cluster: BenchCluster, effort: SearchEffort, queries: readonly Query[]) {
    this.work = Promise.all([this.look(cluster, effort.index), this.search(effort, queries)]);
    // Told by `end`, which may come much later.
    this.work.catch(() => undefined);
  }

  async end(): Promise<Seen> {
    this.isEnded = true;
    await this.work;
    const isMerging = ({ from, to }: Slice): boolean =>
      this.looks.some(({ seconds, isMerging }) => isMerging && seconds >= from && seconds <= to);
    const during = this.slices.filter(isMerging);
    const between = this.slices.filter((slice) => !isMerging(slice));
    const figures: Partial<Record<FigureName, number>> = {
      mergingShare: this.looks.filter((look) => look.isMerging).length / Math.max(1, this.looks.length),
      ...(this.slices.length === 0
        ? {}
        : { besideMedianMs: middle(this.slices, 'medianMs'), besideP99Ms: middle(this.slices, 'p99Ms') }),
      ...(during.length === 0 ? {} : { mergingP99Ms: middle(during, 'p99Ms') }),
      ...(between.length === 0 ? {} : { quietP99Ms: middle(between, 'p99Ms') }),
    };
    return { figures, curves: this.curves() };
  }

  private curves(): Curves {
    const step = Math.max(1, Math.ceil(this.looks.length / CURVE_POINTS_MAX));
    const looks = this.looks.filter((_look, at) => at % step === 0 || at === this.looks.length - 1);
    return {
      segments: looks.map(({ seconds, segments }) => [seconds, segments]),
      storeBytes: looks.map(({ seconds, storeBytes }) => [seconds, storeBytes]),
      mergedBytes: looks.map(({ seconds, mergedBytes }) => [seconds, mergedBytes]),
      besideP99Ms: this.slices.map(({ from, to, times }) => [(from + to) / 2, times.p99Ms]),
    };
  }

  private get seconds(): number {
    return Math.round(performance.now() - this.startMs) / 1_000;
  }

  private async look(cluster: BenchCluster, index: string): Promise<void> {
    while (!this.isEnded) {
      const { segments, storeBytes, mergedBytes, runningMerges } = await indexStatistics(cluster, index);
      this.looks.push({ seconds: this.seconds, segments, storeBytes, mergedBytes, isMerging: runningMerges > 0 });
      await sleep(LOOK_MS);
    }
  }

  private async search(effort: SearchEffort, queries: readonly Query[]): Promise<void> {
    while (!this.isEnded && queries.length > 0) {
      const from = this.seconds;
      const times = await timeSlice(effort, queries);
      this.slices.push({ from, to: this.seconds, times });
    }
  }
}

function middle(slices: readonly Slice[], figure: 'medianMs' | 'p99Ms'): number {
  return quantile(
    slices.map(({ times }) => times[figure]),
    0.5,
  );
}
