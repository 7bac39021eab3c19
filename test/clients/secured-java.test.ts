/** The Java clients of both products and a node with TLS that asks who they are: by a password, an API key and a token. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TestNode } from '../api/node-harness.js';
import { PASSWORD, startSecured } from '../api/security-helpers.js';
import { TestCertificates } from '../transport/certificates.js';
import { librariesOf, NOT_THERE, OPENSEARCH_2, OPENSEARCH_3, runJava, TYPED, type JavaClient } from './java-clients.js';

interface Case extends JavaClient {
  readonly settings: Readonly<Record<string, string>>;
  readonly prints: Readonly<Record<string, string>>;
}

const EVERYWHERE = {
  ...{ admin: 'admin', key: 'api_key', token: 'token', found: '1', wrong: '401', more: '403', distrusted: 'handshake' },
};
/** What the client has methods for. */
const TYPED_SECURITY = { keys: '1', roles: '[*]', user: 'true', users: '[viewer]', certificates: 'true' };

const CASES: readonly Case[] = [
  {
    title: 'elasticsearch-java 8',
    libraries: TYPED.elasticsearch8,
    sources: ['SecuredElasticsearch.java', 'elasticsearch-8/SecuredConnection.java'],
    settings: {},
    prints: { ...EVERYWHERE, ...TYPED_SECURITY },
  },
  {
    title: 'elasticsearch-java 9',
    libraries: TYPED.elasticsearch9,
    sources: ['SecuredElasticsearch.java', 'elasticsearch-9/SecuredConnection.java'],
    settings: { 'compatibility.version': '9.1.0' },
    prints: { ...EVERYWHERE, ...TYPED_SECURITY },
  },
  {
    title: 'opensearch-java 2',
    libraries: TYPED.opensearch2,
    sources: ['SecuredOpenSearch.java'],
    settings: OPENSEARCH_2,
    prints: EVERYWHERE,
  },
  {
    title: 'opensearch-java 3',
    libraries: TYPED.opensearch3,
    sources: ['SecuredOpenSearch.java'],
    settings: OPENSEARCH_3,
    prints: EVERYWHERE,
  },
];

let certificates: TestCertificates;
let node: TestNode | undefined;

beforeEach(async () => {
  certificates = await TestCertificates.make();
});

afterEach(async () => {
  await node?.stop();
  node = undefined;
  await certificates.remove();
});

describe.each(CASES.map((each) => ({ ...each, found: librariesOf(each) })))('$title', (each) => {
  const { found, settings, prints } = each;

  it.skipIf(found === undefined)(
    `comes in by all of them, and by none to a node that it does not trust${found === undefined ? NOT_THERE : ''}`,
    async () => {
      const { certificate, key } = await certificates.issue('node');
      const tls = { 'http.ssl.enabled': 'true', 'http.ssl.certificate': certificate, 'http.ssl.key': key };
      node = await startSecured({ ...tls, ...settings });
      const args = [node.url, await certificates.authority(), 'admin', PASSWORD] as const;
      expect(Object.fromEntries(await runJava(each, found ?? '', ...args))).toEqual(prints);
    },
    300_000,
  );
});
