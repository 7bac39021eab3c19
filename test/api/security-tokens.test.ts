/** Bearer tokens end with those for whom they stand: users of each realm, API keys, service accounts, and who acts as another. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hash } from '@node-rs/bcrypt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer, Json, TestNode } from './node-harness.js';
import { ADMIN, basic, done, startSecured } from './security-helpers.js';

let node: TestNode;

beforeAll(async () => {
  node = await startSecured();
});

afterAll(async () => {
  await node.stop();
});

const TOKEN = '/_security/oauth2/token';
const USER = { password: 'a-password', roles: ['superuser'] };
const DENIED = { error: 'invalid_grant', error_description: 'the user of the token is disabled or gone' };

function as(
  authorization: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return node.request(method, path, body, { authorization, ...headers });
}

/** The token for a password, asked for by the admin. */
function tokenOf(username: string, password: string): Promise<Json> {
  return done(as(ADMIN, 'POST', TOKEN, { grant_type: 'password', username, password }));
}

/** The token in exchange for credentials. */
async function ownToken(authorization: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const made = await done(as(authorization, 'POST', TOKEN, { grant_type: 'client_credentials' }, headers));
  return `Bearer ${made.access_token}`;
}

async function statusOf(authorization: string): Promise<number> {
  return (await as(authorization, 'GET', '/_security/_authenticate')).status;
}

function refresh({ refresh_token: value }: Json): Promise<Answer> {
  return as(ADMIN, 'POST', TOKEN, { grant_type: 'refresh_token', refresh_token: value });
}

test('a token ends with its native user, and does not stand for the next one of that name', async () => {
  await done(as(ADMIN, 'PUT', '/_security/user/tk', USER));
  const issued = await tokenOf('tk', USER.password);
  const derived = await ownToken(`Bearer ${issued.access_token}`);
  const all = [`Bearer ${issued.access_token}`, derived];
  for (const each of all) expect(await statusOf(each)).toBe(200);
  // A new password and other roles leave the user who he is.
  await done(as(ADMIN, 'POST', '/_security/user/tk/_password', { password: 'another-one' }));
  await done(as(ADMIN, 'PUT', '/_security/user/tk', { roles: ['viewer'] }));
  for (const each of all) expect(await statusOf(each)).toBe(200);
  expect((await as(derived, 'GET', '/_security/_authenticate')).json().roles).toEqual(['superuser']);

  await done(as(ADMIN, 'DELETE', '/_security/user/tk'));
  for (const each of all) expect(await statusOf(each)).toBe(401);
  await done(as(ADMIN, 'PUT', '/_security/user/tk', { password: 'of-a-new-person', roles: ['viewer'] }));
  for (const each of all) expect(await statusOf(each)).toBe(401);
  const refused = await refresh(issued);
  expect([refused.status, refused.json()]).toEqual([400, DENIED]);
  expect(await statusOf(`Bearer ${(await tokenOf('tk', 'of-a-new-person')).access_token}`)).toBe(200);
});

test('a token rests while its built-in user is disabled', async () => {
  await done(as(ADMIN, 'PUT', '/_security/user/deputy', USER));
  const deputy = basic('deputy', USER.password);
  const token = await ownToken(ADMIN);
  await done(as(deputy, 'PUT', '/_security/user/admin/_disable'));
  expect(await statusOf(token)).toBe(401);
  await done(as(deputy, 'PUT', '/_security/user/admin/_enable'));
  expect(await statusOf(token)).toBe(200);
});

test('a token ends with its user of files', async () => {
  const config = join(node.directory, 'config');
  await mkdir(config, { recursive: true });
  await writeFile(join(config, 'users_roles'), 'superuser:filed\n');
  await writeFile(join(config, 'users'), `filed:${await hash('kept-in-a-file', 4)}\n`);
  await node.until(async () => ((await statusOf(basic('filed', 'kept-in-a-file'))) === 200 ? true : undefined));
  const issued = await tokenOf('filed', 'kept-in-a-file');
  const token = `Bearer ${issued.access_token}`;
  expect(await statusOf(token)).toBe(200);
  await writeFile(join(config, 'users'), '');
  await node.until(async () => ((await statusOf(basic('filed', 'kept-in-a-file'))) === 401 ? true : undefined));
  expect(await statusOf(token)).toBe(401);
  const refused = await refresh(issued);
  expect([refused.status, refused.json()]).toEqual([400, DENIED]);
});

/** An API key that will expire soon, and a token of it that was let in before: a busy machine needs one that lasts longer. */
async function briefKey(): Promise<{ readonly brief: Json; readonly ofBrief: string }> {
  for (const expiration of ['2s', '8s', '25s']) {
    const brief = await done(as(ADMIN, 'POST', '/_security/api_key', { name: 'brief', expiration }));
    const grant = { grant_type: 'client_credentials' };
    const made = await as(`ApiKey ${brief.encoded}`, 'POST', TOKEN, grant);
    const ofBrief = `Bearer ${made.json().access_token}`;
    const status = await statusOf(ofBrief);
    if (Date.now() >= brief.expiration) continue;
    expect([made.status, status]).toEqual([200, 200]);
    return { brief, ofBrief };
  }
  throw new Error('no key lasted for two requests');
}

test('a token ends with its API key, which expires or is invalidated', async () => {
  const lasting = await done(as(ADMIN, 'POST', '/_security/api_key', { name: 'lasting' }));
  const ofLasting = await ownToken(`ApiKey ${lasting.encoded}`);
  expect(await statusOf(ofLasting)).toBe(200);
  const { brief, ofBrief } = await briefKey();
  await node.until(async () => ((await statusOf(`ApiKey ${brief.encoded}`)) === 401 ? true : undefined));
  expect(await statusOf(ofBrief)).toBe(401);
  await done(as(ADMIN, 'DELETE', '/_security/api_key', { ids: [lasting.id] }));
  expect(await statusOf(ofLasting)).toBe(401);
});

test('a token ends with the token of its service account', async () => {
  const path = '/_security/service/elastic/kibana/credential/token/one';
  const made = await done(as(ADMIN, 'POST', path));
  const token = await ownToken(`Bearer ${made.token.value}`);
  expect(await statusOf(token)).toBe(200);
  await done(as(ADMIN, 'DELETE', path));
  expect(await statusOf(token)).toBe(401);
  await done(as(ADMIN, 'POST', path));
  expect(await statusOf(token)).toBe(401);
});

test('a token that was made as another user ends with its maker', async () => {
  await done(as(ADMIN, 'PUT', '/_security/user/maker', USER));
  await done(as(ADMIN, 'PUT', '/_security/user/acted', USER));
  const token = await ownToken(basic('maker', USER.password), { 'es-security-runas-user': 'acted' });
  expect((await as(token, 'GET', '/_security/_authenticate')).json().username).toBe('acted');
  await done(as(ADMIN, 'DELETE', '/_security/user/maker'));
  expect(await statusOf(token)).toBe(401);
});
