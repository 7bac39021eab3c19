/** A place in a JSON text that is known to be valid: moves over it without building values, so that numbers stay as they were written. */
export class JsonCursor {
  protected readonly json: string;
  protected at = 0;

  constructor(json: string) {
    this.json = json;
  }

  protected take(character: string): boolean {
    if (this.json.charAt(this.at) !== character) return false;
    this.at++;
    return true;
  }

  protected skipSpace(): void {
    while (' \n\r\t'.includes(this.json.charAt(this.at)) && this.at < this.json.length) this.at++;
  }

  /** The text of the value here; moves behind it. */
  protected skipValue(): string {
    this.skipSpace();
    const start = this.at;
    let depth = 0;
    do {
      const character = this.json.charAt(this.at);
      if (character === '"') this.skipString();
      else {
        if (character === '{' || character === '[') depth++;
        else if (character === '}' || character === ']') depth--;
        this.at++;
        if (depth === 0 && !'}]'.includes(character)) this.skipScalar();
      }
    } while (depth > 0 && this.at < this.json.length);
    return this.json.slice(start, this.at);
  }

  private skipScalar(): void {
    while (this.at < this.json.length && !',}] \n\r\t'.includes(this.json.charAt(this.at))) this.at++;
  }

  private skipString(): void {
    for (;;) {
      this.at = this.json.indexOf('"', this.at + 1);
      let backslashes = 0;
      while (this.json.charAt(this.at - 1 - backslashes) === '\\') backslashes++;
      if (backslashes % 2 === 0) {
        this.at++;
        return;
      }
    }
  }
}
