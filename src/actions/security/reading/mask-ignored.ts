/**
 * Hits name the fields of their document whose values were malformed. Names that may not be read are written over with blanks, which JSON allows
 * there: so nothing moves in answers that are not all JSON.
 */
import type { FieldView } from '../../../cluster/security/field-view.js';

const BEGINNING = Buffer.from(',"_ignored":[');
const BLANK = ' '.charCodeAt(0);

/** The same bytes where nothing is hidden. */
export function withoutIgnored(given: Uint8Array, view: FieldView): Uint8Array {
  const looked = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  let bytes: Buffer | undefined;
  for (let at = looked.indexOf(BEGINNING); at !== -1; at = looked.indexOf(BEGINNING, at + BEGINNING.length)) {
    const from = at + BEGINNING.length;
    const to = endOfList(looked, from);
    const names = to === -1 ? undefined : namesIn(looked.toString('utf8', from, to));
    if (names === undefined || names.every((name) => view.grants(name))) continue;
    bytes ??= Buffer.from(looked);
    const shown = names.filter((name) => view.grants(name)).map((name) => JSON.stringify(name));
    // Without a name the member goes, with the comma in front of it.
    if (shown.length === 0) bytes.fill(BLANK, at, to + 1);
    else bytes.fill(BLANK, from, to).write(shown.join(','), from, 'utf8');
  }
  return bytes ?? given;
}

/** As {@link withoutIgnored}, of suggestions: JSON that has documents in it as texts. */
export function withoutIgnoredInTexts(given: Uint8Array, view: FieldView): Uint8Array {
  const mask = (_name: string, value: unknown): unknown =>
    typeof value === 'string' ? Buffer.from(withoutIgnored(Buffer.from(value), view)).toString('utf8') : value;
  return Buffer.from(JSON.stringify(JSON.parse(Buffer.from(given).toString('utf8'), mask)));
}

/** The first bracket that is in no text. */
function endOfList(bytes: Buffer, from: number): number {
  let isText = false;
  for (let at = from; at < bytes.length; at++) {
    const character = String.fromCharCode(bytes[at] ?? 0);
    if (isText && character === '\\') at++;
    else if (character === '"') isText = !isText;
    else if (!isText && character === ']') return at;
    else if (!isText && character !== ',') return -1;
  }
  return -1;
}

/** Undefined for what is no list of names. */
function namesIn(text: string): readonly string[] | undefined {
  try {
    const names = JSON.parse(`[${text}]`) as readonly unknown[];
    return names.every((name) => typeof name === 'string') ? names : undefined;
  } catch {
    return undefined;
  }
}
