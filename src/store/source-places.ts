/** Says of a stack in which lines of the sources it was: `dist/program/` has its code in files that nobody wrote. */
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const PLACE = /(?<file>file:\/\/[^\s()]+\.c?js):(?<line>\d+):(?<column>\d+)/g;

/** Maps of files that were asked for; there are as many as the software has files. */
const maps = new Map<string, SourceMap | undefined>();

/** Places that lie in files without a map stay as they are. */
export function withSourcePlaces(stack: string): string {
  return stack.replace(PLACE, (place, url: string, line: string, column: string) => {
    const file = fileURLToPath(url);
    const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !('originalSource' in entry)) return place;
    const source = relative(process.cwd(), resolve(dirname(file), entry.originalSource));
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(`${file}.map`));
  return maps.get(file);
}

function readMap(path: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(path, 'utf8')) as SourceMapPayload);
  } catch {
    return undefined;
  }
}
