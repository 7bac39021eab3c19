/** Whether clients have work for the node: what is done in its idle time asks. */
import type { FrontFigures } from '../../actions/front-figures.js';

export class ServedRequests {
  private readonly figures: () => Promise<FrontFigures>;
  private before = 0;

  constructor(figures: () => Promise<FrontFigures>) {
    this.figures = figures;
  }

  /** Whether the node served searches and writes since the last call, or has a search now. */
  async hasMore(): Promise<boolean> {
    const { pools } = await this.figures();
    const served = (pools['search']?.completed ?? 0) + (pools['write']?.completed ?? 0);
    const hasMore = served !== this.before || (pools['search']?.active ?? 0) > 0;
    this.before = served;
    return hasMore;
  }
}
