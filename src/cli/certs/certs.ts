/** `quarry certs`: a certificate authority of the cluster's own, and certificates of its nodes. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { QuarryError } from '../../base/errors.js';
import { isHostName } from '../../base/host-address.js';
import { readTextIfPresent } from '../../store/files.js';
import { makeNodeDirectory, writeNodeFile } from '../../store/node-files.js';
import { makeAuthority, makeNodeCertificate, type CertifiedKey } from './certificates.js';

export interface CertsOptions {
  /** Directory for what is made. */
  readonly out: string;
  /** Directory of `ca.crt` and `ca.key`; undefined: that of `out`, where they are made if they are not there. */
  readonly ca: string | undefined;
  /** Names and addresses by which others reach the node, beside those of its machine itself. */
  readonly hosts: readonly string[];
  readonly days: number;
  /** Replaces a certificate of the node that is there. */
  readonly renews: boolean;
}

export const HOSTS_MAX = 100;
const AUTHORITY_DAYS = 3_650;
const AUTHORITY_NAME = 'Quarry cluster authority';
/** By which a node is reached on its own machine. */
export const LOCAL_HOSTS = ['localhost', '127.0.0.1', '::1'];
/** Certificates are shown to everybody who connects. */
const READABLE = 0o644;

/** Makes the files; gives what to print: what was made, and what to do next. */
export async function makeCertificates(options: CertsOptions, nowMs: number): Promise<string> {
  const hosts = [...new Set([...options.hosts, ...LOCAL_HOSTS])];
  checkHosts(hosts);
  const { out, ca: given } = options;
  const node = { certificate: join(out, 'node.crt'), key: join(out, 'node.key') };
  if (existsSync(node.certificate) && !options.renews) {
    const reason = `[${node.certificate}] exists: [--renew] replaces it, [--out] names another directory`;
    throw new QuarryError('settings_exception', reason);
  }
  const directory = given ?? out;
  const known = readAuthority(directory, given !== undefined);
  const authority = known ?? (await makeAuthority(AUTHORITY_NAME, AUTHORITY_DAYS, nowMs));
  const made = await makeNodeCertificate(authority, hosts, options.days, nowMs);
  makeNodeDirectory(out);
  const lines: string[] = [];
  const note = (path: string, what: string): void => void lines.push(`${path}: ${what}`);
  if (known === undefined) {
    await writeNodeFile(join(directory, 'ca.key'), authority.key, { isOfWriter: true });
    note(join(directory, 'ca.key'), 'key of the authority, for more nodes: keep it safe, no node needs it');
  }
  const authorityFile = join(out, 'ca.crt');
  if (readTextIfPresent(authorityFile) !== authority.certificate) {
    await writeNodeFile(authorityFile, authority.certificate, { mode: READABLE });
    note(authorityFile, `certificate of the authority, until ${endOf(authority)}: for all nodes and clients`);
  }
  // The key first: a node that looks in between finds two that do not match, and looks again.
  await writeNodeFile(node.key, made.key);
  await writeNodeFile(node.certificate, made.certificate, { mode: READABLE });
  note(node.key, 'key of the node');
  note(node.certificate, `certificate of the node, until ${endOf(made)}, for ${hosts.join(', ')}`);
  return [...lines, '', ...nextSteps(directory, authorityFile, node, options.renews)].join('\n');
}

interface NodePaths {
  readonly certificate: string;
  readonly key: string;
}

function nextSteps(directory: string, authority: string, node: NodePaths, renews: boolean): readonly string[] {
  if (renews) return ['A node that runs with these files reads them again within seconds.'];
  return [
    'Settings of the node, for config/quarry.yml:',
    '',
    'http.ssl.enabled: true',
    `http.ssl.certificate: ${node.certificate}`,
    `http.ssl.key: ${node.key}`,
    'transport.ssl.enabled: true',
    `transport.ssl.certificate: ${node.certificate}`,
    `transport.ssl.key: ${node.key}`,
    `transport.ssl.certificate_authorities: ${authority}`,
    '',
    'Start it, and ask it:',
    '',
    'npm start',
    `curl --cacert ${authority} https://localhost:9200`,
    '',
    'Another node of the cluster, with the name by which others reach it:',
    '',
    `npm run quarry -- certs --ca ${directory} --out ${directory}-n2 --host n2.example.org`,
  ];
}

/** Undefined where neither file is there and none has to be. */
export function readAuthority(directory: string, isGiven: boolean): CertifiedKey | undefined {
  const [certificate, key] = [join(directory, 'ca.crt'), join(directory, 'ca.key')];
  const missing = [certificate, key].filter((path) => !existsSync(path));
  if (missing.length === 0) {
    return { certificate: readTextIfPresent(certificate) ?? '', key: readTextIfPresent(key) ?? '' };
  }
  if (missing.length === 2 && !isGiven) return undefined;
  const reason = `[${missing[0] ?? ''}] does not exist: [--ca] names the directory of the authority's ca.crt and ca.key`;
  throw new QuarryError('settings_exception', reason);
}

export function checkHosts(hosts: readonly string[]): void {
  if (hosts.length > HOSTS_MAX) {
    throw new QuarryError('settings_exception', `a certificate has at most [${HOSTS_MAX}] names and addresses`);
  }
  for (const host of hosts) {
    // `*.example.org` stands for the names directly below.
    if (isHostName(host.replace(/^\*\./, ''))) continue;
    throw new QuarryError('settings_exception', `[--host ${host}] is no host name and no IP address`);
  }
}

function endOf({ certificate }: CertifiedKey): string {
  return new Date(new X509Certificate(certificate).validTo).toISOString().slice(0, 10);
}
