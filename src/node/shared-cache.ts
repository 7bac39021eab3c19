/** The cache file through which a node of the frozen tier reads files of repositories. */
import { join } from 'node:path';
import { QuarryError } from '../base/errors.js';
import type { NodeSettings } from '../base/node-settings.js';
import { formatBytes, parseBytes } from '../base/units.js';
import { configureSharedCache } from '../native/shared-cache.js';
import { diskUsage } from '../store/disk.js';
import { removeFile } from '../store/files.js';

const PREFIX = 'xpack.searchable.snapshot.shared_cache';
const FILE = 'shared_snapshot_cache';
const DEFAULT_SHARE = '90%';
const PAGE_BYTES = 4096;
const DEFAULT_HEADROOM_BYTES = 100 * 1024 ** 3;
/** See `REGIONS_MAX` of the kernels. */
const REGIONS_MAX = 32_768;

/** Bytes of the cache, by whole regions; 0 where the node has none: a file of a former run is removed then. */
export async function openSharedCache({ values }: Pick<NodeSettings, 'values'>, dataPath: string): Promise<number> {
  checkSettings(values);
  const path = join(dataPath, FILE);
  const regionBytes = values[`${PREFIX}.region_size`];
  const wanted = await wantedBytes(values, dataPath);
  const regions = Math.floor(wanted / regionBytes);
  if (regions === 0) {
    if (wanted > 0)
      throw bad(`[${formatBytes(wanted)}] is less than [${PREFIX}.region_size], [${formatBytes(regionBytes)}]`);
    await removeFile(path);
    return 0;
  }
  if (regions > REGIONS_MAX) {
    throw bad(`[${formatBytes(wanted)}] has more than [${REGIONS_MAX}] regions of [${PREFIX}.region_size]`);
  }
  configureSharedCache(path, regions * regionBytes, regionBytes);
  return regions * regionBytes;
}

/** Only the frozen tier reads through it, of which the role `data` is too. */
function checkSettings(values: NodeSettings['values']): void {
  const roles = values['node.roles'];
  const size = values[`${PREFIX}.size`] ?? '0';
  if (parseFloat(size) > 0 && !roles.some((role) => role === 'data_frozen' || role === 'data')) {
    throw bad(`only a node with the role [data_frozen] has such a cache, not one of [${roles.join(', ')}]`);
  }
  const regionBytes = values[`${PREFIX}.region_size`];
  if (regionBytes % PAGE_BYTES === 0) return;
  const why = `a multiple of ${PAGE_BYTES} bytes is expected, not [${regionBytes}]`;
  throw new QuarryError('settings_exception', `failed to parse setting [${PREFIX}.region_size]: ${why}`);
}

async function wantedBytes(values: NodeSettings['values'], dataPath: string): Promise<number> {
  const given = values[`${PREFIX}.size`];
  const isDedicated = isFrozenOnly(values['node.roles']);
  const size = given ?? (isDedicated ? DEFAULT_SHARE : '0');
  if (!size.endsWith('%')) return parseBytes(size, `${PREFIX}.size`);
  const { totalBytes } = await diskUsage(dataPath);
  const share = Math.floor((totalBytes * Number(size.slice(0, -1))) / 100);
  const isByDefault = given === undefined && isDedicated;
  const headroom = values[`${PREFIX}.size.max_headroom`] ?? (isByDefault ? DEFAULT_HEADROOM_BYTES : -1);
  return headroom === -1 ? share : Math.max(share, totalBytes - headroom);
}

function isFrozenOnly(roles: readonly string[]): boolean {
  const ofData = roles.filter((role) => role.startsWith('data'));
  return ofData.length > 0 && ofData.every((role) => role === 'data_frozen');
}

function bad(why: string): QuarryError {
  return new QuarryError('settings_exception', `failed to use setting [${PREFIX}.size]: ${why}`);
}
