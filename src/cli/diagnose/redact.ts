/**
 * Takes secrets, and contents of documents, out of what is given away. By the names of members and by forms that secrets have in texts: what is
 * taken out in vain costs an operator a question, what is left in costs more.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import { soundsSecret, withoutUserInfo } from '../../base/redaction.js';

export const REDACTED = '[redacted]';

/** Of slow logs and tasks: what users wrote. */
const CONTENT_NAME = /^(?:elasticsearch\.slowlog\.)?(?:source|plan|query|description|routing|id)$/;

const IN_TEXT: readonly (readonly [RegExp, string])[] = [
  [/\b(Basic|Bearer|ApiKey)\s+[A-Za-z0-9+/=._~-]{4,}/g, `$1 ${REDACTED}`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED],
];
/** The name of [password: secret], [password=secret] and ["password":"secret"], and what is between the two. */
const NAME = /(?<![\w.-])([\w.-]+)["']?\s*[:=]\s*/g;
/** The name of a scheme stays where what follows it is hidden. */
const VALUE = /(?!(?:Basic|Bearer|ApiKey) \[redacted\])(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s,;}&]+)/y;

/** Of a value that was parsed. `hidesContents`: members that hold what users wrote go as well. */
export function redactValue(value: JsonValue, hidesContents = false): JsonValue {
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return value.map((each: JsonValue) => redactValue(each, hidesContents));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    membersOf(value).map(([name, member]) => {
      const isHidden = soundsSecret(name) || (hidesContents && CONTENT_NAME.test(name));
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
  const shown = withoutUserInfo(text, REDACTED, true);
  return withoutNamed(IN_TEXT.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), shown));
}

/** Without values of names that sound secret. */
function withoutNamed(text: string): string {
  let shown = '';
  let end = 0;
  for (const { 0: found, 1: name = '', index } of text.matchAll(NAME)) {
    // A name within what was hidden.
    if (index < end || !soundsSecret(name)) continue;
    VALUE.lastIndex = index + found.length;
    if (!VALUE.test(text)) continue;
    shown += `${text.slice(end, index)}${found}${REDACTED}`;
    end = VALUE.lastIndex;
  }
  return shown + text.slice(end);
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
