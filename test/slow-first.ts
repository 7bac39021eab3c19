/** The order of the test files: what takes long begins first, so that no worker is left with it when the others are done. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Longest first: they start processes, wait for timeouts, or simulate hours. */
const SLOW = ['simulation', 'cluster-processes', 'bench', 'crash', 'setup', 'repositories', 'console', 'node'];

function rank({ moduleId }: TestSpecification): number {
  const place = SLOW.findIndex((room) => moduleId.includes(`/test/${room}/`));
  return place === -1 ? SLOW.length : place;
}

export class SlowFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((a, b) => rank(a) - rank(b) || (a.moduleId < b.moduleId ? -1 : 1)));
  }
}
