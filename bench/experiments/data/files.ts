/** Reads what users give: documents a line each, a mapping, queries. */
import { createReadStream, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { isObject, type Json, type JsonObject } from '../../json.js';

/** Paths are those of the folder where the command was given, which is not where npm runs it. */
export function placeOf(file: string): string {
  return path.resolve(process.env['INIT_CWD'] ?? process.cwd(), file);
}

export function readText(file: string): string {
  try {
    return readFileSync(placeOf(file), 'utf8');
  } catch (error) {
    throw new Error(`[${file}] cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

export function readJsonObject(file: string): JsonObject {
  let parsed: Json;
  try {
    parsed = JSON.parse(readText(file)) as Json;
  } catch (error) {
    throw new Error(`[${file}] is not JSON: ${(error as Error).message}`, { cause: error });
  }
  if (!isObject(parsed)) throw new Error(`[${file}] is no JSON object`);
  return parsed;
}

/** The first documents of a file of JSON lines. Of exports with `_source` that is the document. */
export async function readDocuments(file: string, count: number): Promise<readonly Buffer[]> {
  const lines: Buffer[] = [];
  const stream = createReadStream(placeOf(file));
  const failed = new Promise<never>((_resolve, reject) => {
    stream.once('error', (error) => reject(new Error(`[${file}] cannot be read: ${error.message}`)));
  });
  failed.catch(() => undefined);
  const reading = (async (): Promise<void> => {
    let number = 0;
    for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) {
      number++;
      if (line.trim() !== '') lines.push(documentOf(line, `[${file}] line ${number}`));
      if (lines.length >= count) break;
    }
  })();
  await Promise.race([reading, failed]);
  stream.destroy();
  if (lines.length === 0) throw new Error(`[${file}] holds no documents`);
  return lines;
}

const ACTIONS: ReadonlySet<string> = new Set(['index', 'create', 'update', 'delete']);

function documentOf(line: string, place: string): Buffer {
  let parsed: Json;
  try {
    parsed = JSON.parse(line) as Json;
  } catch {
    throw new Error(`${place} is not JSON: one document a line is needed`);
  }
  if (!isObject(parsed)) throw new Error(`${place} is no JSON object`);
  const names = Object.keys(parsed);
  if (names.length === 1 && ACTIONS.has(names[0] ?? '') && isObject(parsed[names[0] ?? ''])) {
    throw new Error(`${place} looks like an action of a bulk request: documents alone are needed`);
  }
  const source = parsed['_source'];
  return Buffer.from(JSON.stringify(isObject(source) ? source : parsed));
}
