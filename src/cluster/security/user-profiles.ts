/** What is kept of users beside what their realm knows: for programs that show who did what, and keep settings for them. */
import { createHash } from 'node:crypto';
import type { UserProfile } from './security-state.js';
import type { RealmName } from './subject.js';

/** The id of the profile that a user of the realm has, or would get. */
export function profileUid(username: string, realm: RealmName): string {
  return `u_${createHash('sha256').update(`${realm.name}\n${username}`).digest('base64url')}_0`;
}

/** The id of the profile that the user has. */
export function profileOf(
  profiles: ReadonlyMap<string, UserProfile>,
  username: string,
  realm: RealmName,
): string | undefined {
  const uid = profileUid(username, realm);
  return profiles.has(uid) ? uid : undefined;
}
