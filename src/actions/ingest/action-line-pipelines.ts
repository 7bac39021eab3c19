/**
 * Pipelines that action lines of a bulk name. The kernels read all else of those lines; only a body that has the word at all is
 * looked through here, and its lines come back without it.
 */
import { illegalArgument } from '../../base/errors.js';
import { decodeUtf8, parseExactJson, stringifyJson } from '../../base/json.js';
import { isJsonObject } from '../../base/json-value.js';
import { mentionsPipelines } from '../../native/bulk.js';

export interface BodyWithPipelines {
  readonly body: Uint8Array;
  /** By the number of the item. */
  readonly pipelines: ReadonlyMap<number, string>;
}

const WORD = Buffer.from('"pipeline"');
const LIST_WORD = Buffer.from('"list_executed_pipelines"');
const NEWLINE = 0x0a;
const OPEN_BRACE = 0x7b;
/** The longest action, every letter of it escaped, in its quotes. */
const NAME_BYTES_MAX = 38;
const NONE: ReadonlyMap<number, string> = new Map();

export function takePipelines(body: Uint8Array): BodyWithPipelines {
  if (!mentionsPipelines(body)) return { body, pipelines: NONE };
  const view = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const pipelines = new Map<number, string>();
  const pieces: Uint8Array[] = [];
  let copied = 0;
  let item = 0;
  for (let at = 0; at < view.length;) {
    const end = lineEnd(view, at);
    const line = view.subarray(at, end);
    const action = line.length === 0 || isBlank(line) ? undefined : actionOf(line);
    at = end + 1;
    if (action === undefined) continue;
    if (action.rewritten !== undefined) {
      pieces.push(view.subarray(copied, end - line.length), action.rewritten);
      copied = end;
    }
    if (action.pipeline !== undefined) pipelines.set(item, action.pipeline);
    item++;
    if (!action.isDeletion) at = lineEnd(view, at) + 1;
  }
  if (pieces.length === 0) return { body, pipelines };
  return { body: Buffer.concat([...pieces, view.subarray(copied)]), pipelines };
}

function hasWord(bytes: Buffer): boolean {
  return bytes.includes(WORD) || bytes.includes(LIST_WORD);
}

interface Action {
  readonly isDeletion: boolean;
  readonly pipeline: string | undefined;
  /** The line without what is read here. */
  readonly rewritten: Uint8Array | undefined;
}

/** A line that is none is left for the kernels to refuse. */
function actionOf(line: Buffer): Action {
  const isDeletion = nameOf(line) === 'delete';
  const plain = { isDeletion, pipeline: undefined, rewritten: undefined };
  if (!hasWord(line)) return plain;
  const parsed = tryParse(line);
  const [name] = isJsonObject(parsed) ? Object.keys(parsed) : [];
  const parameters = isJsonObject(parsed) && name !== undefined ? parsed[name] : undefined;
  if (name === undefined || !isJsonObject(parameters)) return plain;
  const { pipeline, list_executed_pipelines: lists, ...others } = parameters;
  if (lists !== undefined && lists !== false) {
    throw illegalArgument('[list_executed_pipelines] of an action is not supported');
  }
  if (pipeline === undefined) return plain;
  if (pipeline !== null && typeof pipeline !== 'string') return plain;
  const rewritten = Buffer.from(stringifyJson({ [name]: others }), 'utf8');
  return { isDeletion, pipeline: pipeline ?? undefined, rewritten };
}

/** The action, as the kernels read it: with any escapes, behind any spaces. Undefined where none of theirs can be. */
function nameOf(line: Buffer): string | undefined {
  const brace = afterSpaces(line, 0);
  if (line[brace] !== OPEN_BRACE) return undefined;
  const start = afterSpaces(line, brace + 1);
  const text = line.toString('latin1', start, start + NAME_BYTES_MAX);
  const name = /^"(?:[a-z]|\\u00[0-9a-fA-F]{2})*"/.exec(text)?.[0];
  return name === undefined ? undefined : String(JSON.parse(name));
}

function afterSpaces(line: Buffer, start: number): number {
  let at = start;
  while (at < line.length && isSpace(line[at])) at++;
  return at;
}

function tryParse(line: Buffer): unknown {
  try {
    return parseExactJson(decodeUtf8(line));
  } catch {
    return undefined;
  }
}

function lineEnd(view: Buffer, at: number): number {
  const found = view.indexOf(NEWLINE, at);
  return found < 0 ? view.length : found;
}

function isBlank(line: Buffer): boolean {
  return line.every(isSpace);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}
