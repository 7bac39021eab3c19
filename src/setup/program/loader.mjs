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
  const source = readFileSync(place);
  const cachedData = codeOf(source, `${place}.code`);
  const script = new vm.Script(source.toString(), { filename: pathToFileURL(place).href, cachedData });
  room.resize(0);
  return script.runInThisContext();
}

/**
 * The engine looks at no more than the length of the source, and would take damaged code and crash: the code stands behind the
 * digest of both.
 */
function codeOf(source, place) {
  const file = read(place);
  if (file === undefined) return undefined;
  const code = file.subarray(DIGEST_BYTES);
  const digest = createHash('sha256').update(source).update(code).digest();
  return digest.equals(file.subarray(0, DIGEST_BYTES)) ? code : undefined;
}

/** For all files, one after the other, and for no longer than they are read: each thread would keep a megabyte. */
const room = new ArrayBuffer(0, { maxByteLength: 1 << 26 });

/** Undefined where there is no such file, and for one that is too large. */
function read(place) {
  let file;
  try {
    file = openSync(place);
  } catch {
    return undefined;
  }
  try {
    const { size } = fstatSync(file);
    if (size > room.maxByteLength) return undefined;
    room.resize(size);
    const bytes = Buffer.from(room, 0, size);
    return bytes.subarray(0, readSync(file, bytes, 0, size, 0));
  } finally {
    closeSync(file);
  }
}
