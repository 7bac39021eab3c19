/** Users of a node's own files, `users` and `users_roles`: for those who must get in when the cluster cannot help. */

export interface FileUser {
  readonly passwordHash: string;
  readonly roles: readonly string[];
}

export interface ReadFileUsers {
  readonly users: ReadonlyMap<string, FileUser>;
  /** Lines that say nothing, by file and number: `users:3`. */
  readonly badLines: readonly string[];
}

export const FILE_USERS_MAX = 10_000;

/**
 * @param users lines `name:hash`
 * @param usersRoles lines `role:name,name`
 */
export function readFileUsers(
  users: string,
  usersRoles: string,
  isPasswordHash: (text: string) => boolean,
): ReadFileUsers {
  const badLines: string[] = [];
  const hashes = new Map<string, string>();
  for (const [number, line] of meaningfulLines(users)) {
    const colon = line.indexOf(':');
    const hash = line.slice(colon + 1);
    if (colon < 1 || !isPasswordHash(hash) || hashes.size >= FILE_USERS_MAX) badLines.push(`users:${number}`);
    else hashes.set(line.slice(0, colon), hash);
  }
  const roles = new Map<string, string[]>();
  for (const [number, line] of meaningfulLines(usersRoles)) {
    const colon = line.indexOf(':');
    if (colon < 1) badLines.push(`users_roles:${number}`);
    else for (const name of namesIn(line.slice(colon + 1))) listOf(roles, name).push(line.slice(0, colon));
  }
  const read = new Map<string, FileUser>();
  for (const [name, passwordHash] of hashes) read.set(name, { passwordHash, roles: [...new Set(roles.get(name))] });
  return { users: read, badLines };
}

/** The two texts that {@link readFileUsers} reads. */
export function writeFileUsers(users: ReadonlyMap<string, FileUser>): { users: string; usersRoles: string } {
  const byRole = new Map<string, string[]>();
  for (const [name, { roles }] of users) for (const role of roles) listOf(byRole, role).push(name);
  const lines = (entries: Iterable<readonly [string, string]>): string =>
    Array.from(entries, ([key, value]) => `${key}:${value}\n`).join('');
  return {
    users: lines([...users].map(([name, { passwordHash }]) => [name, passwordHash])),
    usersRoles: lines([...byRole].map(([role, names]) => [role, names.join(',')])),
  };
}

function meaningfulLines(text: string): readonly (readonly [number: number, line: string])[] {
  return text
    .split('\n')
    .map((line, at) => [at + 1, line.trim()] as const)
    .filter(([, line]) => line !== '' && !line.startsWith('#'));
}

function namesIn(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function listOf(lists: Map<string, string[]>, key: string): string[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
