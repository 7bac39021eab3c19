/** What walks over plans without knowing their kinds share. */

export type Members = Readonly<Record<string, unknown>>;

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What clients send along, which the kernels do not run. */
export const SENT_ALONG: ReadonlySet<string> = new Set(['like_documents', 'unlike_documents', 'meta']);
