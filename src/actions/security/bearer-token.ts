/** What a bearer token, and one that refreshes it, look like: the id by which the cluster finds it, then the secret. */
const ID_LENGTH = 22;
const SHAPE = /^[\w-]{44}$/;

/** `id` is of `newUuid`, `secret` of `newSecret`. */
export function bearerTokenValue(id: string, secret: string): string {
  return id + secret;
}

/** Undefined for what is none. */
export function readBearerToken(value: string): { readonly id: string; readonly secret: string } | undefined {
  return SHAPE.test(value) ? { id: value.slice(0, ID_LENGTH), secret: value.slice(ID_LENGTH) } : undefined;
}
