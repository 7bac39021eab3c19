/** JSON text for people, laid out as the API does: two spaces, a space before the colon, `{ }` and `[ ]` for empty ones. */
export function prettyJson(json: string): string {
  const out: string[] = [];
  let depth = 0;
  let at = 0;
  const newLine = (): void => {
    out.push('\n', '  '.repeat(depth));
  };
  while (at < json.length) {
    const character = json.charAt(at);
    if (character === '"') {
      const end = endOfString(json, at);
      out.push(json.slice(at, end));
      at = end;
      continue;
    }
    at++;
    if (character === '{' || character === '[') {
      at = skipSpace(json, at);
      const closing = json.charAt(at);
      if (closing === '}' || closing === ']') {
        out.push(character, ' ', closing);
        at++;
      } else {
        depth++;
        out.push(character);
        newLine();
      }
    } else if (character === '}' || character === ']') {
      depth--;
      newLine();
      out.push(character);
    } else if (character === ',') {
      out.push(character);
      newLine();
    } else if (character === ':') out.push(' : ');
    else if (!isSpace(character)) out.push(character);
  }
  out.push('\n');
  return out.join('');
}

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json.charAt(at) !== '"') at += json.charAt(at) === '\\' ? 2 : 1;
  return at + 1;
}

function skipSpace(json: string, from: number): number {
  let at = from;
  while (at < json.length && isSpace(json.charAt(at))) at++;
  return at;
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t';
}
