/** What a token of a service account looks like to its bearer. */

/** As in the reference, so that its tools know such a token when they see one. */
export const SERVICE_TOKEN_PREFIX = Buffer.from([0, 1, 0, 1]);
