/**
 * Loads the scripts of the bundled program: the engine takes the code that it made of them before, when the program was built
 * (`code-cache.mjs`), instead of compiling it again in each thread of each start. Code of another engine or of other flags is refused
 * by the engine, and compiled then.
 *
 * Copied to `dist/program/loader.js`. The engine takes such code of scripts alone, not of modules. `import()` does not work in a script
 * whose code it took: {@link obtain} stands for it.
 */
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import vm from 'node:vm';

const folder = path.dirname(fileURLToPath(import.meta.url));
const requirePackage = createRequire(import.meta.url);
const DIGEST_BYTES = 32;

/** What scripts of this thread export, by their names. Two that import each other get what there is so far. */
const loaded = new Map();

/** Gives the exports of a script in the folder of a kind of thread. */
export function load(kind, name) {
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  loaded.set(name, module);
  const require = (other) => (other.startsWith('./') ? load(kind, other.slice(2)) : requirePackage(other));
  try {
    compile(path.join(folder, kind, name))(module.exports, require, module, path.join(folder, name), folder, obtain);
  } catch (error) {
    loaded.delete(name);
    throw error;
  }
  return module.exports;
}

/** Packages and modules of Node that are loaded on demand. */
function obtain(name) {
  return import(name);
}

/** The function that a script is, of what {@link load} gives it. */
function compile(place) {
  const script = new vm.Script(readFileSync(place, 'utf8'), {
    filename: pathToFileURL(place).href,
    cachedData: codeOf(`${place}.code`),
  });
  return script.runInThisContext();
}

/** The engine would take damaged code and crash: it stands behind its digest. */
function codeOf(place) {
  const file = read(place);
  if (file === undefined) return undefined;
  const code = file.subarray(DIGEST_BYTES);
  const digest = createHash('sha256').update(code).digest();
  return digest.equals(file.subarray(0, DIGEST_BYTES)) ? code : undefined;
}

/** For all files, one after the other: each thread would keep megabytes until it collects garbage. */
let room = new Uint8Array(0);

/** Undefined where there is no such file. */
function read(place) {
  let file;
  try {
    file = openSync(place);
  } catch {
    return undefined;
  }
  try {
    const { size } = fstatSync(file);
    if (size > room.length) room = new Uint8Array(size);
    return Buffer.from(room.buffer, 0, readSync(file, room, 0, size, 0));
  } finally {
    closeSync(file);
  }
}
