/** How much of each kind the cluster keeps: all of it is held by every thread of every node. */
export const USERS_MAX = 10_000;
export const ROLES_MAX = 10_000;
export const APPLICATION_PRIVILEGES_MAX = 10_000;
export const ROLE_MAPPINGS_MAX = 1_000;
export const API_KEYS_MAX = 10_000;
export const USER_PROFILES_MAX = 10_000;
export const SERVICE_TOKENS_MAX = 1_000;
export const BEARER_TOKENS_MAX = 10_000;
/** Characters of one of these as JSON. */
export const RECORD_LENGTH_MAX = 256 * 1024;
/** Characters of all of a kind together. */
export const RECORDS_LENGTH_MAX = 64 * 1024 * 1024;
/** A refresh token can be used for so long after it was made. */
export const REFRESH_TOKEN_MS_MAX = 24 * 60 * 60 * 1_000;
