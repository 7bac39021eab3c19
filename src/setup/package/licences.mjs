/** The licences of what is inside: of crates in the kernels, of packages in the program. Packages beside it have their own. */
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { SetupError, root } from '../lib.mjs';

/** Those that ask for nothing but to be handed on. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BSL-1.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unicode-3.0',
  'Unlicense',
  'Zlib',
]);

const LICENCE_FILE = /^(?:licen[cs]e|copying|copyright|notice|unlicense)/i;

/** One text with the licence of each crate. Throws where one has none that is allowed. */
export function licencesOfCrates(target) {
  const sections = linkedPackages(metadata(target)).map((linked) => {
    const { name, version, license, repository } = linked;
    if (!isAllowed(license ?? ''))
      throw new SetupError(`crate ${name} ${version}: licence [${license}] is not allowed`);
    return `# ${name} ${version}\n\n${license} ${repository ?? ''}\n\n${licenceTexts(path.dirname(linked.manifest_path))}`;
  });
  return `${sections.join('\n\n')}\n`;
}

/** The same for packages of npm, by their names. */
export function licencesOfPackages(names) {
  const sections = names.map((name) => {
    const folder = path.join(root, 'node_modules', name);
    const { version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    if (!isAllowed(license ?? ''))
      throw new SetupError(`package ${name} ${version}: licence [${license}] is not allowed`);
    return `# ${name} ${version}\n\n${license}\n\n${licenceTexts(folder)}`;
  });
  return `${sections.join('\n\n')}\n`;
}

function metadata(target) {
  const args = ['metadata', '--format-version', '1', '--locked', '--filter-platform', target];
  const options = { cwd: path.join(root, 'native-bindings'), encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 };
  const { status, stdout, stderr } = spawnSync('cargo', args, options);
  if (status !== 0) throw new SetupError(`cargo metadata failed: ${stderr}`);
  return JSON.parse(stdout);
}

/** The packages of others that the add-on consists of: no macros, and nothing that only builds or tests. */
export function linkedPackages({ packages, resolve, workspace_members: own }) {
  const byId = new Map(packages.map((one) => [one.id, one]));
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const isMacro = (id) => byId.get(id).targets.some(({ kind }) => kind.includes('proc-macro'));
  const reached = new Set(packages.filter(({ name }) => name === 'quarry-binding').map(({ id }) => id));
  // What is added while the set is walked is walked as well.
  for (const id of reached) {
    for (const { pkg, dep_kinds: kinds } of nodes.get(id).deps) {
      if (kinds.some(({ kind }) => kind === null) && !isMacro(pkg)) reached.add(pkg);
    }
  }
  return [...reached].filter((id) => !own.includes(id)).map((id) => byId.get(id));
}

/** Whether an SPDX expression (or the older form with a slash) leaves a choice of which all parts are allowed. */
export function isAllowed(expression) {
  const choices = expression.replace(/[()]/g, '').split(/ OR |\//);
  const isKnown = (part) => ALLOWED.has(part.replace(/ WITH LLVM-exception$/, '').trim());
  return choices.some((choice) => choice.split(' AND ').every(isKnown));
}

function licenceTexts(folder) {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files.filter(({ name }) => LICENCE_FILE.test(name)).map(({ name }) => path.join(folder, name));
  return texts.map((file) => readFileSync(file, 'utf8').trim()).join('\n\n');
}
