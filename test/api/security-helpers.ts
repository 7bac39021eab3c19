/** Nodes with security, and what clients send to them. */
import { TestNode } from './node-harness.js';

export const PASSWORD = 'admins-first-password';

/** A quick hash: what the cost is changes nothing but time. */
export const SECURED = {
  'security.enabled': 'true',
  'security.authc.password_hashing.algorithm': 'bcrypt4',
} as const;

export const ADMIN = basic('admin', PASSWORD);

export function startSecured(settings: Readonly<Record<string, string>> = {}): Promise<TestNode> {
  return TestNode.start({ ...SECURED, ...settings }, undefined, [], { QUARRY_BOOTSTRAP_PASSWORD: PASSWORD });
}

/** The header `Authorization` of a user. */
export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
