/** How this node proves to others that it belongs to their cluster: its certificate, and the secret of the cluster. */
import { join, resolve } from 'node:path';
import { QuarryError } from '../base/errors.js';
import type { NodeSettings } from '../base/node-settings.js';
import type { SecureSettings } from '../base/secure-settings.js';
import { tlsSettings } from '../base/tls-settings.js';
import { isSecretFileThere, readSecretFile } from '../store/secret-file.js';
import type { TransportSecurity } from '../transport/security.js';
import { isLoopback } from './addresses.js';
import type { OpenHosts } from './bind-rules.js';

export type { OpenHosts };

/** Wins over the keystore, which wins over the file. */
const SECRET_VARIABLE = 'QUARRY_CLUSTER_SECRET';
/** Read where it exists, beside the configuration file. */
const SECRET_FILE = 'cluster.secret';
/** Where earlier versions read it: of the working directory, wherever the configuration was. */
const FORMER_FOLDER = 'config';

/** Throws for a secret that is too short or that others could read. */
export async function transportSecurity(
  { values }: NodeSettings,
  secure: SecureSettings,
  environment: NodeJS.ProcessEnv,
): Promise<TransportSecurity> {
  const tls = tlsSettings(values, 'transport', secure);
  const secret = secretOf(values, secure.secureSetting('cluster.secret'), environment);
  if (secret === undefined) return { tls, secretKey: undefined };
  const { secretKey } = await import('../transport/cluster-secret.js');
  return { tls, secretKey: secretKey(secret) };
}

/** Throws for a node that others can reach and that asks nobody who he is, unless that is allowed. */
export async function openHostsOf(settings: NodeSettings, links: TransportSecurity): Promise<OpenHosts> {
  if (isLoopback(settings.values['http.host']) && isLoopback(settings.values['transport.host'])) return [];
  const { openHosts } = await import('./bind-rules.js');
  return openHosts(settings, links);
}

function secretOf(
  { 'cluster.secret_file': file, 'path.config': folder, 'transport.host': host }: NodeSettings['values'],
  kept: string | undefined,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  const given = environment[SECRET_VARIABLE];
  // Threads and programs that this process starts would get it as well.
  Reflect.deleteProperty(environment, SECRET_VARIABLE);
  if (given !== undefined && given !== '') return given;
  if (kept !== undefined) return kept;
  const path = file ?? join(folder, SECRET_FILE);
  const text = readSecretFile(path);
  if (text !== undefined) return text;
  if (file !== undefined) {
    throw new QuarryError('settings_exception', `setting [cluster.secret_file]: file [${file}] does not exist`);
  }
  if (!isLoopback(host)) checkNotAtFormerPlace(path);
  return undefined;
}

/** A node that had a secret before its upgrade is not to run without one: whoever reaches it would command its cluster. */
function checkNotAtFormerPlace(path: string): void {
  const former = resolve(FORMER_FOLDER, SECRET_FILE);
  if (former === resolve(path) || !isSecretFileThere(former)) return;
  const reason =
    `the secret of the cluster is read from [${path}], beside the configuration file, and no longer from [${former}]: ` +
    'move that file, or name it with [cluster.secret_file]';
  throw new QuarryError('settings_exception', reason);
}
