/** Loads the native add-on once per thread. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { QuarryError } from '../base/errors.js';
import { addonFile } from './addon-file.js';
import { guarded } from './errors.js';
import type { RawAddon } from './raw-addon.js';

// The same place seen from src/native (tests) and from dist/native (a built node).
const FOLDER = fileURLToPath(new URL('../../dist/native', import.meta.url));

let loaded: RawAddon | undefined;

function load(): RawAddon {
  const file = addonFile(FOLDER);
  let addon: RawAddon;
  try {
    addon = createRequire(import.meta.url)(file) as RawAddon;
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new QuarryError('internal_error', `cannot load the native kernels [${file}]: ${why}`, {
      cause: thrown,
    });
  }
  guarded(() => addon.processorFeatures());
  return addon;
}

/** The add-on. Fails when it was not built, or was built for a processor with features that this one lacks. */
export function native(): RawAddon {
  loaded ??= load();
  return loaded;
}
