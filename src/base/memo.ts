/**
 * What was made of short texts of late. It holds a bounded number: when it is full it starts anew, which costs less than to know which text was
 * asked for last. What it gives is shared: nobody may change it.
 */
export class Memo<Value> {
  private readonly values = new Map<string, Value>();
  private readonly valuesMax: number;
  private readonly textMax: number;

  /** Texts longer than `textMax` are not kept. */
  constructor(valuesMax: number, textMax: number) {
    this.valuesMax = valuesMax;
    this.textMax = textMax;
  }

  /** `make` may throw: then nothing is kept. */
  get(text: string, make: () => Value): Value {
    const known = this.values.get(text);
    if (known !== undefined) return known;
    const value = make();
    if (text.length <= this.textMax) {
      if (this.values.size >= this.valuesMax) this.values.clear();
      this.values.set(text, value);
    }
    return value;
  }
}
