/** Official clients of a node with TLS that asks who they are: by a password, an API key and a token. */
import { Client } from '@elastic/elasticsearch';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TestNode } from '../api/node-harness.js';
import { PASSWORD, startSecured } from '../api/security-helpers.js';
import { TestCertificates } from '../transport/certificates.js';
import { isInstalled, runTool } from './run-tool.js';

const SCRIPT = fileURLToPath(new URL('secured.py', import.meta.url));

let certificates: TestCertificates;
let node: TestNode;
let authority: string;

beforeEach(async () => {
  certificates = await TestCertificates.make();
  authority = await certificates.authority();
});

afterEach(async () => {
  await node.stop();
  await certificates.remove();
});

async function start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
  const { certificate, key } = await certificates.issue('node');
  const tls = { 'http.ssl.enabled': 'true', 'http.ssl.certificate': certificate, 'http.ssl.key': key };
  node = await startSecured({ ...tls, 'security.audit.enabled': 'true', ...settings });
}

it('the JavaScript client comes in by all of them, and is told what it may not do', async () => {
  await start();
  const ca = readFileSync(authority, 'utf8');
  const connect = (auth: ConstructorParameters<typeof Client>[0]['auth']): Client =>
    new Client({ node: node.url, tls: { ca }, ...(auth === undefined ? {} : { auth }) });
  const admin = connect({ username: 'admin', password: PASSWORD });
  await admin.index({ index: 'films', id: '1', document: { title: 'one' }, refresh: true });
  const { encoded, id } = await admin.security.createApiKey({
    name: 'reads',
    role_descriptors: { reads: { indices: [{ names: ['films'], privileges: ['read'] }] } },
  });
  const { access_token: token } = await admin.security.getToken({ grant_type: 'client_credentials' });
  const key = connect({ apiKey: encoded });
  expect(await key.security.authenticate()).toMatchObject({ authentication_type: 'api_key', api_key: { id } });
  expect((await key.search({ index: 'films' })).hits.total).toMatchObject({ value: 1 });
  await expect(key.indices.delete({ index: 'films' })).rejects.toMatchObject({ statusCode: 403 });
  expect(await connect({ bearer: token }).security.authenticate()).toMatchObject({
    username: 'admin',
    authentication_type: 'token',
  });
  expect((await admin.security.queryApiKeys({ query: { term: { name: 'reads' } } })).total).toBe(1);
  expect((await admin.ssl.certificates()).length).toBe(1);
  await expect(connect({ username: 'admin', password: 'wrong' }).info()).rejects.toMatchObject({ statusCode: 401 });
  await expect(connect(undefined).info()).rejects.toMatchObject({ statusCode: 401 });
  await expect(new Client({ node: node.url }).info()).rejects.toThrow('certificate');
});

const PYTHON = [
  ['elasticsearch', 'elasticsearch', {}],
  ['opensearch-py', 'opensearchpy', { 'compatibility.distribution': 'opensearch' }],
] as const;

describe.each(PYTHON)('the Python client %s', (library, module, settings) => {
  const isThere = isInstalled('python3', ['-c', `import ${module}`]);

  it.skipIf(!isThere)(
    `comes in by all of them${isThere ? '' : ` (not installed: pip install ${library})`}`,
    { timeout: 120_000 },
    async () => {
      await start(settings);
      const args = [SCRIPT, library, node.url, authority, 'admin', PASSWORD];
      expect(JSON.parse(await runTool('python3', args))).toEqual({
        admin: 'admin',
        key: 'api_key',
        token: 'token',
        found: 1,
        wrong: 'AuthenticationException',
        more: 'AuthorizationException',
      });
    },
  );
});
