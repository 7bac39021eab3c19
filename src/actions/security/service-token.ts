/** What a token of a service account looks like to its bearer. */

/** As in the reference, so that its tools know such a token when they see one. */
export const SERVICE_TOKEN_PREFIX = Buffer.from([0, 1, 0, 1]);

/** `key`: `<namespace>/<service>/<name>`. */
export function serviceTokenValue(key: string, secret: string): string {
  return Buffer.concat([SERVICE_TOKEN_PREFIX, Buffer.from(`${key}:${secret}`, 'utf8')]).toString('base64');
}
