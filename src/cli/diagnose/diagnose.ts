/** What `quarry diagnose` does. */
import { join, resolve } from 'node:path';
import { systemClock } from '../../base/clock.js';
import { QuarryError } from '../../base/errors.js';
import { softwareVersion } from '../../node/version.js';
import { readAuthorities } from '../ask-node.js';
import { nodeUrl } from '../node-url.js';
import { readRawSettings } from '../settings.js';
import { requirePlace, writeArchive } from './archive.js';
import { collect } from './collect.js';
import { PASSWORD_VARIABLE, type DiagnoseOptions } from './options.js';

const DEFAULT_URL = 'http://127.0.0.1:9200';

export async function diagnose(options: DiagnoseOptions): Promise<void> {
  const nowMs = systemClock.nowMs();
  const folder = `quarry-diagnostics-${new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')}`;
  const output = resolve(options.output ?? join(process.cwd(), `${folder}.tar.gz`));
  requirePlace(output);
  const url = options.url === undefined ? await configuredUrl(options.config) : checkedUrl(options.url);
  const { files, outcomes } = await collect({
    url,
    authorization: authorizationOf(options.user),
    authority: readAuthorities(options.ca),
    configFile: resolve(options.config),
    logsDirectory: resolve(options.logs ?? (await configuredLogs(options.config)) ?? 'logs'),
    version: softwareVersion(),
    nowMs,
  });
  await writeArchive(output, folder, files, nowMs);
  const answers = files.filter(({ name }) => name.startsWith('api/')).length;
  process.stdout.write(`${output}: ${files.length} files, ${answers} answers of the node\n`);
  const refusals = Object.values(outcomes).filter((outcome) => outcome === '401' || outcome === '403').length;
  if (answers === 0) {
    const reason = Object.values(outcomes)[0] ?? '';
    throw new QuarryError('connect_transport_exception', `no node answered at ${new URL(url).origin}: ${reason}`);
  }
  if (refusals === 0) return;
  const hint = `the node refused ${refusals} of the requests: --user names somebody who may ask`;
  if (refusals === answers) throw new QuarryError('security_exception', hint);
  process.stdout.write(`${hint}\n`);
}

/** A file with which no node starts may be what is wrong: it says nothing. */
async function configuredUrl(config: string): Promise<string> {
  return nodeUrl(config).catch(() => DEFAULT_URL);
}

/** Undefined where the file says nothing of it, or is none. */
async function configuredLogs(config: string): Promise<string | undefined> {
  const settings = await readRawSettings({ config, overrides: [] }).catch(() => undefined);
  const path = settings?.get('path.logs');
  return typeof path === 'string' && path !== '' ? path : undefined;
}

function checkedUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).username === '') return text;
  throw new QuarryError(
    'settings_exception',
    '[--url] must be an address such as http://127.0.0.1:9200, without a user in it',
  );
}

function authorizationOf(user: string | undefined): string | undefined {
  if (user === undefined) return undefined;
  const password = process.env[PASSWORD_VARIABLE];
  if (password === undefined) {
    throw new QuarryError(
      'settings_exception',
      `[--user] needs a password in the environment variable ${PASSWORD_VARIABLE}`,
    );
  }
  return `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`;
}
