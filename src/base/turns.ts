/** Work in the background that takes turns: one step at a time, in order of arrival, with room for requests between two of them. */

export class Turns {
  private last: Promise<unknown> = Promise.resolve();

  /** Runs the step when those before it have ended. */
  take<T>(step: () => Promise<T>): Promise<T> {
    const turn = this.last.then(() => new Promise((resolve) => setImmediate(resolve))).then(step);
    this.last = turn.catch(() => undefined);
    return turn;
  }
}
