/** The packages that lie beside the program, because they are loaded on demand or find files of their own. */
import { cpSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../lib.mjs';

/** Native code of other machines, types, and maps to sources that are not there. */
const SPARE = /(?:darwin|win32|arm)[^/]*\.node$|\.d\.[cm]?ts$|\.map$/;

/**
 * Copies them, and what they need, from where they are installed to `folder`. `inside` names the packages whose code is in the
 * program. Returns name and version of those that the program itself asks for.
 */
export function copyDependencies(folder, inside) {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const onDemand = packagesOnDemand();
  const wanted = Object.entries(packages[''].dependencies).filter(
    ([name]) => onDemand.includes(name) || !inside.includes(name),
  );
  const places = new Set(wanted.map(([name]) => `node_modules/${name}`));
  // What is added while the set is walked is walked as well.
  for (const place of places) {
    const { dependencies = {}, optionalDependencies = {} } = packages[place];
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = placeOf(packages, place, name);
      if (found !== undefined) places.add(found);
    }
  }
  for (const place of places) {
    const filter = (source) => !SPARE.test(source);
    cpSync(path.join(root, place), path.join(folder, place), { recursive: true, filter });
  }
  return Object.fromEntries(wanted);
}

/** The names in the table of `base/on-demand.ts`. */
function packagesOnDemand() {
  const table = /interface Packages \{([^}]*)\}/.exec(
    readFileSync(path.join(root, 'src/base/on-demand.ts'), 'utf8'),
  )[1];
  return [...table.matchAll(/readonly '?([^':]+)'?:/g)].map(([, name]) => name);
}

/** Where Node finds a package that the one at `place` asks for; undefined for an optional one that is not installed. */
function placeOf(packages, place, name) {
  for (let above = place; ; above = above.slice(0, above.lastIndexOf('/node_modules/'))) {
    const candidate = `${above}/node_modules/${name}`;
    if (packages[candidate] !== undefined) return existsSync(path.join(root, candidate)) ? candidate : undefined;
    if (!above.includes('/node_modules/')) break;
  }
  const top = `node_modules/${name}`;
  return existsSync(path.join(root, top)) ? top : undefined;
}
