/** What may not be read is shown by no node, wherever the copies of the shards are. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { IDS, leaks, putDocuments } from '../api/restricted-documents.js';
import { FIELD_IDS, FIELDS, putFields } from '../api/restricted-fields.js';
import { ADMIN, askAs, basic, PASSWORD, SECURED, type Ask } from '../api/security-helpers.js';
import { TestCluster } from './cluster-harness.js';

const INDEX = 'papers';
const USERS_PASSWORD = 'users-password';
let cluster: TestCluster;

beforeAll(async () => {
  process.env['QUARRY_BOOTSTRAP_PASSWORD'] = PASSWORD;
  cluster = await TestCluster.start({ nodes: 3, settings: SECURED });
}, 120_000);

afterAll(async () => {
  delete process.env['QUARRY_BOOTSTRAP_PASSWORD'];
  await cluster.stop();
});

const through = (name: string, authorization: string): Ask => askAs(() => cluster.node(name), authorization);

async function putUser(name: string, entry: object): Promise<void> {
  const admin = through('n1', ADMIN);
  const indices = [
    { names: ['papers*'], privileges: ['all'], ...entry },
    { names: ['copy-*'], privileges: ['all'] },
  ];
  expect((await admin('PUT', `/_security/role/${name}`, { indices })).status).toBe(200);
  const made = await admin('PUT', `/_security/user/${name}`, { password: USERS_PASSWORD, roles: [name] });
  expect(made.status).toBe(200);
}

test('documents that a role does not let through', { timeout: 300_000 }, async () => {
  await putDocuments(through('n1', ADMIN), INDEX, { number_of_shards: 3, number_of_replicas: 1 });
  await putUser('some-documents', { query: { term: { dept: 'open' } } });
  for (const { name } of cluster.running) {
    expect(await leaks(through(name, basic('some-documents', USERS_PASSWORD)), INDEX, IDS), name).toEqual([]);
  }
});

test('fields that a role does not let through', { timeout: 300_000 }, async () => {
  await putFields(through('n1', ADMIN), 'papers-of-fields', { number_of_shards: 3, number_of_replicas: 1 });
  await putUser('some-fields', { field_security: FIELDS });
  for (const { name } of cluster.running) {
    const ask = through(name, basic('some-fields', USERS_PASSWORD));
    expect(await leaks(ask, 'papers-of-fields', FIELD_IDS), name).toEqual([]);
  }
});
