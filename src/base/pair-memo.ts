/** One value for each pair of objects, made when it is first asked for and kept while both are there. */
export class PairMemo<Left extends object, Right extends object, Value> {
  private readonly values = new WeakMap<Left, WeakMap<Right, Value>>();

  /** `make` may throw: then nothing is kept. */
  get(left: Left, right: Right, make: () => Value): Value {
    let ofLeft = this.values.get(left);
    if (ofLeft === undefined) {
      ofLeft = new WeakMap();
      this.values.set(left, ofLeft);
    }
    const known = ofLeft.get(right);
    if (known !== undefined) return known;
    const value = make();
    ofLeft.set(right, value);
    return value;
  }
}
