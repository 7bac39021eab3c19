/**
 * Where in the text of a JSON body a value stands. Used only to word an error, so it scans from the start each time.
 * The text has been parsed before: the scan relies on its being JSON.
 */

export type PathStep = string | number;

export interface LineAndColumn {
  readonly line: number;
  readonly column: number;
}

/** Line and column (both from 1) of the value at `path`; of the last value found where the path leaves the body. */
export function placeOf(text: string, path: readonly PathStep[]): LineAndColumn {
  let at = skipSpace(text, 0);
  for (const step of path) {
    const next = typeof step === 'number' ? itemStart(text, at, step) : memberStart(text, at, step);
    if (next === undefined) break;
    at = next;
  }
  return lineAndColumn(text, at);
}

function lineAndColumn(text: string, at: number): LineAndColumn {
  let line = 1;
  let lineStart = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', end + 1)) {
    line++;
    lineStart = end + 1;
  }
  return { line, column: at - lineStart + 1 };
}

function memberStart(text: string, objectAt: number, name: string): number | undefined {
  let at = skipSpace(text, objectAt + 1);
  while (text[at] === '"') {
    const keyEnd = stringEnd(text, at);
    const valueAt = skipSpace(text, skipSpace(text, keyEnd) + 1);
    if (JSON.parse(text.slice(at, keyEnd)) === name) return valueAt;
    at = skipSpace(text, valueEnd(text, valueAt));
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return undefined;
}

function itemStart(text: string, arrayAt: number, index: number): number | undefined {
  let at = skipSpace(text, arrayAt + 1);
  for (let item = 0; at < text.length && text[at] !== ']'; item++) {
    if (item === index) return at;
    at = skipSpace(text, valueEnd(text, at));
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return undefined;
}

function valueEnd(text: string, start: number): number {
  let at = start;
  let depth = 0;
  while (at < text.length) {
    const character = text[at];
    if (character === '"') {
      at = stringEnd(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') {
      if (depth === 0) return at;
      depth--;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (character === ',' || isSpace(character))) return at;
    at++;
  }
  return at;
}

function stringEnd(text: string, quoteAt: number): number {
  let at = quoteAt + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text[at])) at++;
  return at;
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t';
}
