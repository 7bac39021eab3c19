/** `quarry start --enrollment-token`: fetches what a token keeps for this node, and writes it down, before the node starts. */
import { X509Certificate } from 'node:crypto';
import { dirname, join } from 'node:path';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { ownSettingName } from '../../base/node-settings.js';
import { readTextIfPresent } from '../../store/files.js';
import {
  editText,
  makeNodeDirectory,
  requireEditable,
  requireWritableDirectory,
  writeNodeFile,
} from '../../store/node-files.js';
import { configFileOf, readRawSettings, type SettingsSources } from '../settings.js';
import { askSecurely, reasonOf, Unreachable, type SecureAnswer } from './ask-securely.js';
import { decodeToken, type EnrolmentToken } from './enrolment-token.js';
import { readEnrolmentToken } from './read-token.js';
import { unseal, type Parcel } from './sealed-parcel.js';

/** Settings that a node gets with its token; one that has them already was set up before. */
const OWN_SETTINGS = [
  'cluster.name',
  'cluster.initial_master_nodes',
  'cluster.secret_file',
  'discovery.seed_hosts',
  'http.ssl.enabled',
  'http.ssl.certificate',
  'http.ssl.key',
  'security.enabled',
  'transport.ssl.enabled',
  'transport.ssl.certificate',
  'transport.ssl.certificate_authorities',
  'transport.ssl.key',
];

/** One of the two. */
export interface GivenToken {
  readonly token: string | undefined;
  /** See {@link readEnrolmentToken}. */
  readonly tokenFile: string | undefined;
}

interface Enrolled {
  readonly clusterName: string;
  readonly seeds: readonly string[];
  readonly hosts: readonly string[];
  readonly parcel: Parcel;
}

/** Gives what to print. Nothing is asked, and the token stays good, where this node was set up before, or nothing can be written down. */
export async function enrol({ token: given, tokenFile }: GivenToken, sources: SettingsSources): Promise<string> {
  const token = decodeToken(given ?? (await readEnrolmentToken(tokenFile ?? '')));
  const file = configFileOf(sources.config);
  const directory = join(dirname(file), 'certs');
  await refuseSetUp(file, directory);
  await requireRoom(file, directory);
  const enrolled = await fetchParcel(token);
  await writeDown(enrolled, file, directory);
  const { clusterName, seeds, hosts, parcel } = enrolled;
  const until = new Date(new X509Certificate(parcel.certificate).validTo).toISOString().slice(0, 10);
  return [
    `enrolled for the cluster [${clusterName}] with the nodes ${seeds.join(', ')}`,
    `${file}: the settings for it were added`,
    `${directory}: certificate and key of this node for ${hosts.join(', ')}, until ${until}`,
  ].join('\n');
}

async function refuseSetUp(file: string, directory: string): Promise<void> {
  const known =
    readTextIfPresent(file) === undefined ? [] : [...(await readRawSettings({ config: file, overrides: [] })).keys()];
  const found = known.find((key) => OWN_SETTINGS.includes(ownSettingName(key)));
  if (found !== undefined) {
    throw illegalArgument(
      `[${file}] has the setting [${found}] already: this node was set up before. Start it without a token, or take its ` +
        'settings of security and of the cluster away first',
    );
  }
  const certificate = join(directory, 'node.crt');
  if (readTextIfPresent(certificate) === undefined) return;
  throw illegalArgument(`[${certificate}] exists: this node was set up before. Move it away first`);
}

/** The cluster gives out what is meant for this node once: it has to have a place before. */
async function requireRoom(file: string, directory: string): Promise<void> {
  try {
    await requireWritableDirectory(directory);
    if (readTextIfPresent(file) === undefined) await requireWritableDirectory(dirname(file));
    else await requireEditable(file);
  } catch (error) {
    if (!(error instanceof QuarryError)) throw error;
    throw new QuarryError(error.type, `${error.message}. The enrolment token was not used`, { cause: error });
  }
}

/** Of the first node of the cluster that answers. */
async function fetchParcel({ addresses, authority, apiKey, sealKey }: EnrolmentToken): Promise<Enrolled> {
  const authorization = `ApiKey ${Buffer.from(apiKey).toString('base64')}`;
  const failures: string[] = [];
  for (const address of addresses) {
    try {
      const answer = await askSecurely({
        ...{ address, authority, authorization },
        method: 'GET',
        path: '/_security/enroll/node',
      });
      return read(address, answer, sealKey);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      failures.push(error.message);
    }
  }
  const reason = `no node of the cluster can be reached: ${failures.join('; ')}`;
  throw new QuarryError('connect_transport_exception', reason);
}

function read(address: string, answer: SecureAnswer, sealKey: Uint8Array): Enrolled {
  if (answer.status !== 200) throw illegalArgument(`[${address}] does not enrol this node: ${whyNot(answer)}`);
  const { cluster_name: clusterName, nodes_addresses: seeds, hosts, sealed } = answer.body;
  const isWhole = typeof clusterName === 'string' && typeof sealed === 'string';
  if (!isWhole || !Array.isArray(seeds) || !Array.isArray(hosts)) {
    throw illegalArgument(`the answer of [${address}] is not one to an enrolment token`);
  }
  return { clusterName, seeds: seeds.map(String), hosts: hosts.map(String), parcel: unseal(sealed, sealKey) };
}

function whyNot(answer: SecureAnswer): string {
  const reason = reasonOf(answer);
  if (reason.includes('expired')) return 'the enrolment token has expired: make another';
  if (reason.includes('invalidated')) return 'the enrolment token was used already, or withdrawn: make another';
  if (reason.includes('unable to find apikey')) return 'the cluster does not know the enrolment token: make another';
  return reason;
}

async function writeDown({ clusterName, seeds, parcel }: Enrolled, file: string, directory: string): Promise<void> {
  const [key, certificate, authorities] = ['node.key', 'node.crt', 'ca.crt'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  makeNodeDirectory(directory);
  await writeNodeFile(authorities, parcel.authorities);
  await writeNodeFile(key, parcel.key);
  await writeNodeFile(certificate, parcel.certificate);
  const secretFile = join(directory, 'cluster.secret');
  if (parcel.secret !== undefined) await writeNodeFile(secretFile, parcel.secret);
  const settings = {
    'cluster.name': clusterName,
    'discovery.seed_hosts': seeds,
    'security.enabled': true,
    'http.ssl.enabled': true,
    'http.ssl.certificate': certificate,
    'http.ssl.key': key,
    'transport.ssl.enabled': true,
    'transport.ssl.certificate': certificate,
    'transport.ssl.key': key,
    'transport.ssl.certificate_authorities': authorities,
    ...(parcel.secret === undefined ? {} : { 'cluster.secret_file': secretFile }),
  };
  const present = readTextIfPresent(file);
  const former = present ?? '';
  const separator = former === '' || former.endsWith('\n') ? '' : '\n';
  const lines = Object.entries(settings).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const title = '# Of the enrolment in the cluster.';
  const write = present === undefined ? writeNodeFile : editText;
  await write(file, `${former}${separator}${title}\n${lines.join('\n')}\n`);
}
