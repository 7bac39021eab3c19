/** Repositories that are read where a URL leads: their settings. */
import { fileURLToPath } from 'node:url';
import type { BlobStore } from '../blob-store.js';
import { DeferredStore } from '../deferred-store.js';
import { FsBlobStore } from '../fs-blob-store.js';
import { allowedDirectory, type RepositoryPlaces } from '../places.js';
import type { SettingReader } from '../setting-reader.js';
import type { RepositoryType } from '../settings.js';
import { FileUrlStore } from './file-store.js';

const URL_LENGTH_MAX = 2_000;
const RETRIES = 5;
const RETRIES_MAX = 100;
const SILENCE = '50s';
const SILENCE_MS_MAX = 3_600_000;

export const urlType: RepositoryType = {
  settings: ['url', 'http_max_retries', 'http_socket_timeout'],
  isReadOnly: true,
  open(reader, places) {
    const url = urlOf(reader);
    const retries = reader.count('http_max_retries', RETRIES, 0, RETRIES_MAX);
    const silenceMs = reader.time('http_socket_timeout', SILENCE);
    if (silenceMs < 1 || silenceMs > SILENCE_MS_MAX) {
      throw reader.refused('setting [http_socket_timeout] must be of [1ms] to [1h]');
    }
    if (url.protocol === 'file:') return openFile(reader, url, places);
    if (!places.allowedUrls.some((pattern) => matches(pattern, url))) {
      throw reader.refused(
        `url [${url.href}] doesn't match any of the urls specified by repositories.url.allowed_urls`,
      );
    }
    return new DeferredStore(false, async () => {
      const { HttpStore } = await import('./http-store.js');
      return new HttpStore({ url: url.href, retries, silenceMs, clock: places.clock });
    });
  },
};

/** Ends with a slash: names of blobs follow. */
function urlOf(reader: SettingReader): URL {
  const text = reader.text('url') ?? '';
  if (text === '') throw reader.refused('missing url: setting [url] says where the repository is');
  const isSound = text.length <= URL_LENGTH_MAX && URL.canParse(text);
  const url = isSound ? new URL(text) : undefined;
  if (url === undefined) throw reader.refused(`setting [url] is [${text.slice(0, URL_LENGTH_MAX)}], which is no URL`);
  if (!['http:', 'https:', 'file:'].includes(url.protocol)) {
    const reason = `unsupported url protocol [${url.protocol.slice(0, -1)}] of [url]; it may be one of [http, https, file]`;
    throw reader.refused(reason);
  }
  if (url.username !== '' || url.password !== '')
    throw reader.refused('setting [url] must not hold a user or a password');
  if (url.search !== '' || url.hash !== '') throw reader.refused('setting [url] must not have a query or a fragment');
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

function openFile(reader: SettingReader, url: URL, { paths, clock }: RepositoryPlaces): BlobStore {
  if (url.host !== '')
    throw reader.refused(`setting [url] is [${url.href}], and files of other machines cannot be read`);
  const directory = allowedDirectory(fileURLToPath(url).replace(/(?<=.)\/$/, ''), paths);
  if (directory !== undefined) return new FileUrlStore(new FsBlobStore(directory, clock));
  throw reader.refused(`file url [${url.href}] doesn't match any of the locations specified by path.repo`);
}

/** Part by part, so that what stands for a host cannot reach into a path; `*` is any text. */
function matches(pattern: string, { protocol, host, pathname }: URL): boolean {
  const [, scheme, authority = '', path = '/'] = /^([^:/]+):\/\/([^/]*)(\/.*)?$/.exec(pattern) ?? [];
  if (scheme === undefined) return false;
  const isPart = (wanted: string, found: string): boolean =>
    new RegExp(`^${wanted.split('*').map(escaped).join('.*')}$`, 'i').test(found);
  const hasPath = isPart(path, pathname) || (!path.endsWith('/') && isPart(`${path}/`, pathname));
  return isPart(scheme, protocol.slice(0, -1)) && isPart(authority, host) && hasPath;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.|?+()[\]{}]/g, '\\$&');
}
