/** Takes out of what clients sent what might be a secret, before it is written to the audit log. */
import { soundsSecret, withoutUserInfo } from '../../../base/redaction.js';
import { HIDDEN } from './shown-members.js';

/** Of a body; what is longer is cut. */
const BODY_BYTES_MAX = 16 * 1024;
/** Endpoints whose bodies hold secrets, whatever these are called. */
const SILENT = /^(?:security\.|nodes\.reload_secure_settings$|snapshot\.create_repository$)/;

/** The body of a request of the endpoint as text; undefined where it is not shown. */
export function bodyText(endpoint: string, bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return undefined;
  if (SILENT.test(endpoint)) return '(not shown: it may hold secrets)';
  const beginning = Buffer.from(bytes.subarray(0, BODY_BYTES_MAX)).toString('utf8');
  const text = new Redaction(endpoint === 'reindex').of(beginning);
  return bytes.length > BODY_BYTES_MAX ? `${text}... (${bytes.length} bytes)` : text;
}

/** A text (which may be cut) or a bare word, and whether it names a member; a bracket; a comma. */
const PIECE = /("(?:[^"\\]|\\.)*(?:"|\\?$)|[^\s"{}[\],:]+)(\s*:)?|[{}[\],]/gs;
/** What of a remote cluster is no secret. Its headers may have any name. */
const REMOTE_SHOWN: ReadonlySet<string> = new Set(['host', 'username', 'socket_timeout', 'connect_timeout']);
const REDACTED = `"${HIDDEN}"`;

/**
 * Goes over JSON as it was sent, one value or several, valid and whole or not: the rest stays as it is. The value of a
 * member that sounds secret is hidden, and in an object or a list all that is in it, names excepted.
 */
class Redaction {
  private readonly hasRemote: boolean;
  private depth = 0;
  /** Depth of the object or list that is hidden, and of that which is a remote cluster; 0 outside of one. */
  private hiddenAt = 0;
  private remoteAt = 0;
  /** The name in front of the value. */
  private name = '';
  private hidesNext = false;

  /** `hasRemote`: a member `remote` is a remote cluster. */
  constructor(hasRemote: boolean) {
    this.hasRemote = hasRemote;
  }

  of(text: string): string {
    return text.replace(PIECE, (piece, value: string | undefined, colon: string | undefined) => {
      if (value === undefined) this.bracket(piece);
      else if (colon === undefined) return this.value(value);
      else this.member(nameIn(value));
      return piece;
    });
  }

  private bracket(piece: string): void {
    if (piece === '{' || piece === '[') {
      this.depth++;
      if (this.remoteAt === 0 && this.isRemote) this.remoteAt = this.depth;
      else if (this.hiddenAt === 0 && this.hidesNext) this.hiddenAt = this.depth;
    } else if (piece !== ',') {
      if (this.hiddenAt === this.depth) this.hiddenAt = 0;
      if (this.remoteAt === this.depth) this.remoteAt = 0;
      this.depth = Math.max(0, this.depth - 1);
    }
    this.name = '';
    this.hidesNext = false;
  }

  private member(name: string): void {
    this.name = name;
    this.hidesNext = soundsSecret(name) || this.isRemote || (this.remoteAt > 0 && !REMOTE_SHOWN.has(name));
  }

  private get isRemote(): boolean {
    return this.hasRemote && this.name.toLowerCase() === 'remote';
  }

  private value(value: string): string {
    const isInRemote = this.remoteAt > 0;
    const isHidden = this.hidesNext || this.hiddenAt > 0 || (isInRemote && this.depth > this.remoteAt);
    if (isHidden) return REDACTED;
    if (value.startsWith('"')) return textShown(value, isInRemote && this.name === 'host');
    // No JSON: what stands before it may be a part of an address.
    return value.includes('@') ? REDACTED : value;
  }
}

/** However it is escaped. */
function nameIn(piece: string): string {
  return piece.startsWith('"') ? (decoded(piece) ?? piece) : piece;
}

/** Undefined where the text was cut. */
function decoded(piece: string): string | undefined {
  try {
    return JSON.parse(piece) as string;
  } catch {
    return undefined;
  }
}

/** A text in quotes, which may be an address with a password, or JSON itself. */
function textShown(piece: string, isHost: boolean): string {
  const text = decoded(piece);
  if (text === undefined) return cutShown(piece, isHost);
  const shown = /^\s*[{[]/.test(text) ? new Redaction(false).of(text) : addressShown(text, isHost);
  return shown === text ? piece : JSON.stringify(shown);
}

/** What would tell a secret may be in the part that is gone. */
function cutShown(piece: string, isHost: boolean): string {
  if (isHost || piece.includes('\\') || /^"\s*[{[]/.test(piece)) return REDACTED;
  const [quote, text] = [piece.slice(0, 1), piece.slice(1).replace(/:\/\/.*$/s, `://${HIDDEN}`)];
  // As if an address went on to its [@].
  return quote + withoutUserInfo(`${text}@`, HIDDEN, false).slice(0, -1);
}

/** `isHost`: all before the last `@` is user info, with or without a scheme. */
function addressShown(text: string, isHost: boolean): string {
  if (isHost) return text.replace(/^((?:[a-z][a-z\d+.-]*:\/\/)?).*@/is, `$1${HIDDEN}@`);
  return withoutUserInfo(text, HIDDEN, false);
}

/** A body that is sent as a parameter is not shown. */
export function queryText(query: string): string {
  return query
    .split('&')
    .map((parameter) => {
      const name = nameOf(parameter);
      return name === 'source' || soundsSecret(name) ? `${name}=...` : parameter;
    })
    .join('&');
}

function nameOf(parameter: string): string {
  const [name = ''] = parameter.split('=', 1);
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}
