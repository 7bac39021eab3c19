/** Refusals of the kernels' breakers are counted where they arrive. */
import { BREAKERS, type BreakerWords } from '../base/breakers.js';
import { watchNativeBreakers } from '../native/errors.js';

/** Of the calls of this thread, from now on. */
export function countNativeTrips(words: BreakerWords): void {
  watchNativeBreakers((name) => {
    const known = BREAKERS.find((each) => each === name);
    if (known !== undefined) words.trip(known);
  });
}
