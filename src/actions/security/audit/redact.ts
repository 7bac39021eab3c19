/** Takes out of what clients sent what might be a secret, before it is written to the audit log. */

/** Of a body; what is longer is cut. */
const BODY_BYTES_MAX = 16 * 1024;
/** Names of members whose values nobody may read. */
const SECRET =
  '[^"]*(?:password|passphrase|secret|token|credential|authorization|api_?key|access_?key|private_?key)[^"]*';
/** A member of that name with its value, as far as that is a scalar; also one whose text was cut. */
const SECRET_MEMBER = new RegExp(`("${SECRET}"\\s*:\\s*)(?:"(?:[^"\\\\]|\\\\.)*(?:"|$)|[^\\s",{}\\[\\]]+)`, 'gis');
const HIDDEN = '$1"..."';
/** Endpoints whose bodies hold secrets, whatever these are called. */
const SILENT = /^(?:security\.|nodes\.reload_secure_settings$|snapshot\.create_repository$)/;

/** The body of a request of the endpoint as text; undefined where it is not shown. */
export function bodyText(endpoint: string, bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return undefined;
  if (SILENT.test(endpoint)) return '(not shown: it may hold secrets)';
  const text = Buffer.from(bytes.subarray(0, BODY_BYTES_MAX)).toString('utf8').replace(SECRET_MEMBER, HIDDEN);
  return bytes.length > BODY_BYTES_MAX ? `${text}... (${bytes.length} bytes)` : text;
}

/** A body that is sent as a parameter is not shown. */
export function queryText(query: string): string {
  return query
    .split('&')
    .map((parameter) => {
      const name = nameOf(parameter);
      return name === 'source' || /password|secret|token/i.test(name) ? `${name}=...` : parameter;
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
