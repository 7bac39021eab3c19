/**
 * Takes secrets, and contents of documents, out of what is given away. By the names of members and by forms that secrets have in texts: what is
 * taken out in vain costs an operator a question, what is left in costs more.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';

export const REDACTED = '[redacted]';

/** Names of members, settings and parameters. */
const SECRET_NAME =
  /pass(?:word|wd|phrase)|secret|(?<![a-z])tokens?(?![a-z])|credential|api_?key|access_?key|private_?key|authorization|cookie/i;
/** Of slow logs and tasks: what users wrote. */
const CONTENT_NAME = /^(?:elasticsearch\.slowlog\.)?(?:source|plan|query|description|routing|id)$/;

/** What is known to hold no secret though its name looks like it. */
const HARMLESS = /(?:^|\.)(?:max_)?token_count$/;

const IN_TEXT: readonly (readonly [RegExp, string])[] = [
  // https://user:secret@host, up to the last [@]: not all escape what is in passwords
  [
    /([a-z][a-z0-9+.-]{0,32}:\/\/)(?:[^\s/"':]{0,256}:(?!\d{1,5}\/)[^\s"']{1,256}|[^\s/"']{0,256})@/gi,
    `$1${REDACTED}@`,
  ],
  // user:secret@host, as addresses of proxies are written
  [/(?<![^\s"'=,;([{<])[^\s/@"':=,;([{<]{1,256}:(?!\/\/|\d{1,5}\/)[^\s"']{1,256}@/g, `${REDACTED}@`],
  [/\b(Basic|Bearer|ApiKey)\s+[A-Za-z0-9+/=._~-]{4,}/g, `$1 ${REDACTED}`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED],
  // password: secret, password=secret, "password":"secret"
  [
    /((?:pass(?:word|wd|phrase)|secret|(?<![a-z])tokens?(?![a-z])|credentials?|api_?key|access_?key|private_?key)[\w.-]*["']?\s*[:=]\s*)(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s,;}&]+)/gi,
    `$1${REDACTED}`,
  ],
];

function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !HARMLESS.test(name);
}

/** Of a value that was parsed. `hidesContents`: members that hold what users wrote go as well. */
export function redactValue(value: JsonValue, hidesContents = false): JsonValue {
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return value.map((each: JsonValue) => redactValue(each, hidesContents));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    membersOf(value).map(([name, member]) => {
      const isHidden = isSecretName(name) || (hidesContents && CONTENT_NAME.test(name));
      // What is below a secret name may be a tree of settings: its names stay.
      if (isHidden && (typeof member !== 'object' || member === null)) return [name, REDACTED];
      return [name, isHidden ? hideLeaves(member) : redactValue(member, hidesContents)];
    }),
  );
}

function hideLeaves(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(hideLeaves);
  if (!isJsonObject(value)) return REDACTED;
  return Object.fromEntries(membersOf(value).map(([name, member]) => [name, hideLeaves(member)]));
}

function membersOf(value: JsonObject): readonly (readonly [string, JsonValue])[] {
  return Object.entries(value).flatMap(([name, member]) => (member === undefined ? [] : [[name, member] as const]));
}

export function redactText(text: string): string {
  return IN_TEXT.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);
}

/** Lines of a log: JSON member by member, others as texts. */
export function redactLog(text: string): string {
  return text.split('\n').map(redactLine).join('\n');
}

function redactLine(line: string): string {
  if (!line.startsWith('{'))
    return redactText(line).replace(/ (source|plan)=("(?:[^"\\]|\\.)*"|\S+)/g, ` $1=${REDACTED}`);
  try {
    return JSON.stringify(redactValue(JSON.parse(line) as JsonValue, true));
  } catch {
    // Cut off at its beginning or end: nobody knows which member it is in.
    return `${REDACTED} (a line that is not whole)`;
  }
}
