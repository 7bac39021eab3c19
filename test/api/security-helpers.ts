/** Nodes with security, and what clients send to them. */
import { expect } from 'vitest';
import { TestNode, type Answer, type Json } from './node-harness.js';

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

/** What sends a request for somebody; a text is lines of JSON. */
export type Ask = (method: string, path: string, body?: unknown) => Promise<Answer>;

export function askAs(node: () => TestNode, authorization: string): Ask {
  return (method, path, body) => {
    const type = typeof body === 'string' ? { 'content-type': 'application/x-ndjson' } : {};
    return node().request(method, path, body, { authorization, ...type });
  };
}

/** The body of an answer, which has to be a good one. */
export async function done(answer: Promise<Answer>): Promise<Json> {
  const { status, text } = await answer;
  expect(status, text).toBeLessThan(300);
  return JSON.parse(text === '' ? '{}' : text) as Json;
}
