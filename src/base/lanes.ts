/** Work of which only so much is under way at once; what comes beyond that waits in order of arrival. */
export class Lanes {
  private readonly lanes: number;
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(lanes: number) {
    this.lanes = lanes;
    this.free = lanes;
  }

  /** What is under way, and what waits for its turn. */
  get count(): number {
    return this.lanes - this.free + this.waiting.length;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.free > 0) this.free--;
    else {
      await new Promise<void>((begin) => {
        this.waiting.push(begin);
      });
    }
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free++;
      else next();
    }
  }
}
