/** `quarry create-enrollment-token`: makes what a node needs to join, seals it, and has the cluster keep it for half an hour. */
import { X509Certificate } from 'node:crypto';
import { must } from '../../base/assert.js';
import { illegalArgument, type QuarryError } from '../../base/errors.js';
import { isJsonObject } from '../../base/json-value.js';
import type { Random } from '../../base/random.js';
import { ENROL_NODE, ENROLMENT } from '../../cluster/security/enrolment.js';
import { readSecretFile } from '../../store/secret-file.js';
import { checkHosts, LOCAL_HOSTS, readAuthority } from '../certs/certs.js';
import { makeNodeCertificate } from '../certs/certificates.js';
import { askSecurely, reasonOf, type SecureAnswer } from './ask-securely.js';
import { encodeToken, SEAL_KEY_BYTES } from './enrolment-token.js';
import { seal } from './sealed-parcel.js';

export interface CreateTokenOptions {
  /** Where a node of the cluster answers. */
  readonly url: string;
  /** Directory of `ca.crt` and `ca.key`. */
  readonly ca: string;
  /** Names and addresses by which others reach the node that is to join. */
  readonly hosts: readonly string[];
  readonly days: number;
  /** File of the cluster's secret, where nodes prove one. */
  readonly secretFile: string | undefined;
  readonly username: string;
  readonly password: string;
}

const TOKEN_MINUTES = 30;
/** Of nodes that the joining one may ask. */
const ADDRESSES_MAX = 5;

/** Gives the token. */
export async function createEnrolmentToken(
  options: CreateTokenOptions,
  random: Random,
  nowMs: number,
): Promise<string> {
  const address = secureAddress(options.url);
  const authority = must(readAuthority(options.ca, true), 'the authority that is asked for');
  const sealKey = random.fill(new Uint8Array(SEAL_KEY_BYTES));
  const { hosts, days, secretFile, username, password } = options;
  const names = [...new Set([...hosts, ...LOCAL_HOSTS])];
  checkHosts(names);
  const made = await makeNodeCertificate(authority, names, days, nowMs);
  const secret = secretFile === undefined ? undefined : secretIn(secretFile);
  const parcel = { authorities: authority.certificate, ...made, ...(secret === undefined ? {} : { secret }) };
  const signer = new X509Certificate(authority.certificate).toString();
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const ask = { address, authority: signer, authorization, checksName: true };
  const created = await askSecurely({
    ...ask,
    method: 'POST',
    path: '/_security/api_key',
    body: {
      name: `enrollment-token-${hosts[0] ?? 'node'}`,
      expiration: `${TOKEN_MINUTES}m`,
      role_descriptors: { create_enrollment_token: { cluster: [ENROL_NODE] } },
      metadata: { [ENROLMENT]: { scope: 'node', hosts: [...hosts], sealed: seal(parcel, sealKey, random) } },
    },
  });
  const { id, api_key: key } = created.body;
  if (created.status !== 200 || typeof id !== 'string' || typeof key !== 'string') throw refused(address, created);
  const addresses = addressesOf(address, await askSecurely({ ...ask, method: 'GET', path: '/_nodes/http' }));
  return encodeToken({ addresses, authority: signer, apiKey: `${id}:${key}`, sealKey });
}

/** That of the command, then those by which others reach nodes of the cluster. */
function addressesOf(asked: string, { body }: SecureAnswer): readonly string[] {
  const nodes = isJsonObject(body['nodes']) ? Object.values(body['nodes']) : [];
  const published = nodes.flatMap((node) => {
    const http = isJsonObject(node) && isJsonObject(node['http']) ? node['http'] : {};
    const { publish_address: address } = http;
    return typeof address === 'string' ? [address] : [];
  });
  return [...new Set([...published, asked])].slice(0, ADDRESSES_MAX);
}

function secureAddress(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'https:' || parsed.pathname !== '/') {
    throw illegalArgument(
      `[--url ${url}] has to be [https://host:port]: nodes are enrolled by TLS only, see [http.ssl.enabled]`,
    );
  }
  return `${parsed.hostname}:${parsed.port === '' ? '443' : parsed.port}`;
}

function secretIn(file: string): string {
  const secret = readSecretFile(file);
  if (secret !== undefined) return secret;
  throw illegalArgument(`[--secret-file ${file}]: the file does not exist`);
}

function refused(address: string, answer: SecureAnswer): QuarryError {
  return illegalArgument(`the node at [${address}] makes no enrolment token: ${reasonOf(answer)}`);
}
