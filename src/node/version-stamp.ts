/** The version of the software that last ran in a data directory: an older one may not understand what it left there. */
import { QuarryError } from '../base/errors.js';
import { compareVersions } from '../cluster/nodes/version-order.js';
import { readChecked, writeChecked } from '../store/files.js';

/** Nothing else in the directory has been touched when it throws. */
export async function refuseDowngrade(path: string, version: string): Promise<void> {
  const last = await readChecked(path);
  if (last === version) return;
  if (last !== undefined && compareVersions(version, last) < 0) {
    throw new QuarryError(
      'illegal_state_exception',
      `cannot downgrade a node from version [${last}] to version [${version}]: restore a snapshot into a new cluster`,
    );
  }
  await writeChecked(path, version);
}
