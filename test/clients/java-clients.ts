/** Clients of Java: their libraries come from the usual repository through Maven and stay in a folder of the system for later runs. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isInstalled, runTool } from './run-tool.js';

/** `group:artifact:version`. */
type Library = string;

export interface JavaClient {
  readonly title: string;
  readonly libraries: readonly [Library, ...Library[]];
  /** Below `java/`; the first one has `main`. */
  readonly sources: readonly [string, ...string[]];
}

const JACKSON = [
  'com.fasterxml.jackson.core:jackson-databind:2.18.3',
  'com.fasterxml.jackson.core:jackson-core:2.18.3',
];

/** Typed clients, by product and major version. */
export const TYPED = {
  elasticsearch8: ['co.elastic.clients:elasticsearch-java:8.19.0', ...JACKSON],
  elasticsearch9: ['co.elastic.clients:elasticsearch-java:9.1.0', ...JACKSON],
  opensearch2: ['org.opensearch.client:opensearch-java:2.23.0', ...JACKSON],
  opensearch3: ['org.opensearch.client:opensearch-java:3.1.0', ...JACKSON],
} as const satisfies Readonly<Record<string, JavaClient['libraries']>>;

/** Of nodes that answer as OpenSearch 2. */
export const OPENSEARCH_2 = { 'compatibility.distribution': 'opensearch', 'compatibility.version': '2.19.0' };
export const OPENSEARCH_3 = { 'compatibility.distribution': 'opensearch' };

/** Why a test was left out. */
export const NOT_THERE = ' (skipped: javac, Maven or its repository are not to be had)';

const DOWNLOAD_MS_MAX = 120_000;
const SOURCES = fileURLToPath(new URL('java/', import.meta.url));
const HOME = process.env['QUARRY_JAVA_CLIENTS'] ?? path.join(tmpdir(), 'quarry-java-clients');

let hasTools: boolean | undefined;

/** The folder with the libraries of the client; undefined where they cannot be had. */
export function librariesOf({ libraries }: JavaClient): string | undefined {
  const folder = path.join(HOME, libraries.join('+').replaceAll(/[^A-Za-z0-9.+-]/g, '_'));
  if (existsSync(folder)) return folder;
  hasTools ??= isInstalled('javac', ['-version']) && isInstalled('mvn', ['-version']);
  if (!hasTools) return undefined;
  mkdirSync(HOME, { recursive: true });
  const project = mkdtempSync(path.join(HOME, 'project-'));
  try {
    writeFileSync(path.join(project, 'pom.xml'), projectOf(libraries));
    const args = ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=libraries'];
    const { status } = spawnSync('mvn', args, { cwd: project, stdio: 'ignore', timeout: DOWNLOAD_MS_MAX });
    if (status !== 0) return undefined;
    moveUnlessThere(path.join(project, 'libraries'), folder);
    return folder;
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

/** Another file of tests may have been quicker. */
function moveUnlessThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}

function projectOf(libraries: readonly Library[]): string {
  const dependencies = libraries.map((library) => {
    const [group = '', artifact = '', version = ''] = library.split(':');
    return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;
  });
  return (
    '<project><modelVersion>4.0.0</modelVersion><groupId>quarry</groupId><artifactId>client</artifactId>' +
    `<version>1</version><dependencies>${dependencies.join('')}</dependencies></project>`
  );
}

/** The lines that the program printed, by their first words. `args` begin with the address of a node. */
export async function runJava(
  client: JavaClient,
  libraries: string,
  ...args: readonly [string, ...string[]]
): Promise<ReadonlyMap<string, string>> {
  const classes = mkdtempSync(path.join(tmpdir(), 'quarry-java-'));
  try {
    const sources = client.sources.map((source) => path.join(SOURCES, source));
    const jars = path.join(libraries, '*');
    await runTool('javac', ['-proc:none', '-nowarn', '-d', classes, '-cp', jars, ...sources]);
    const main = path.basename(client.sources[0], '.java');
    const printed = await runTool('java', ['-cp', [classes, jars].join(path.delimiter), main, ...args]);
    return new Map(printed.trim().split('\n').map(firstWord));
  } finally {
    rmSync(classes, { recursive: true, force: true });
  }
}

function firstWord(line: string): readonly [string, string] {
  const [word = '', ...others] = line.split(' ');
  return [word, others.join(' ')];
}
