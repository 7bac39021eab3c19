/** Gathers what somebody who helps an operator would ask for, without secrets: answers of endpoints, configuration, logs, machine. */
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { arch, cpus, freemem, loadavg, platform, release, totalmem, uptime } from 'node:os';
import { join } from 'node:path';
import type { JsonValue } from '../../base/json-value.js';
import { askNode, whyNoAnswer } from '../ask-node.js';
import { redactLog, redactText, redactValue } from './redact.js';

export interface DiagnoseSources {
  /** Where a node answers. */
  readonly url: string;
  /** Of requests, such as `Basic ...`; undefined where the node asks for none. */
  readonly authorization: string | undefined;
  /** As PEM; undefined: what the system trusts. */
  readonly authority: string | undefined;
  readonly configFile: string;
  readonly logsDirectory: string;
  readonly version: string;
  readonly nowMs: number;
}

/** A file of the archive. */
export interface CollectedFile {
  readonly name: string;
  readonly contents: string;
}

/** Each by itself: a node that is in trouble may answer some of them. */
const ENDPOINTS: Readonly<Record<string, string>> = {
  'root.json': '/',
  'cluster-health.json': '/_cluster/health?level=indices&timeout=5s',
  'cluster-settings.json': '/_cluster/settings?include_defaults&flat_settings',
  'cluster-stats.json': '/_cluster/stats',
  'cluster-pending-tasks.json': '/_cluster/pending_tasks',
  'allocation-explain.json': '/_cluster/allocation/explain',
  'nodes.json': '/_nodes',
  'nodes-stats.json': '/_nodes/stats',
  'nodes-usage.json': '/_nodes/usage',
  'hot-threads.txt': '/_nodes/hot_threads?threads=20',
  'tasks.json': '/_tasks',
  'health-report.json': '/_health_report',
  'deprecations.json': '/_migration/deprecations',
  'index-settings.json': '/_all/_settings?expand_wildcards=all',
  'repositories.json': '/_snapshot',
  'ilm-status.json': '/_ilm/status',
  'slm-status.json': '/_slm/status',
  'cat-nodes.txt': '/_cat/nodes?v',
  'cat-indices.txt': '/_cat/indices?v&expand_wildcards=all',
  'cat-shards.txt': '/_cat/shards?v',
  'cat-allocation.txt': '/_cat/allocation?v',
  'cat-recovery.txt': '/_cat/recovery?v&active_only',
  'cat-segments.txt': '/_cat/segments?v',
  'cat-thread-pool.txt': '/_cat/thread_pool?v',
  'cat-circuit-breaker.txt': '/_cat/circuit_breaker?v',
  'metrics.txt': '/_prometheus/metrics',
};

/** Of one file of the log, from its end. */
const LOG_BYTES_MAX = 1_000_000;
/** The newest. */
const LOG_FILES_MAX = 5;
/** Who did what stays with the operator. */
const AUDIT_LOG = 'quarry_audit.';
const CONFIG_BYTES_MAX = 1_000_000;

interface Asked {
  readonly file: CollectedFile | undefined;
  /** For the list of what is in the archive. */
  readonly outcome: string;
}

export interface Collected {
  readonly files: readonly CollectedFile[];
  /** By path: the status, or why there was no answer. */
  readonly outcomes: Readonly<Record<string, string>>;
}

export async function collect(sources: DiagnoseSources): Promise<Collected> {
  const files: CollectedFile[] = [];
  const outcomes: Record<string, string> = {};
  for (const [name, path] of Object.entries(ENDPOINTS)) {
    const { file, outcome } = await ask(sources, name, path);
    outcomes[path] = outcome;
    if (file !== undefined) files.push(file);
  }
  files.push(...(await config(sources.configFile)), ...(await logs(sources.logsDirectory)));
  const about = {
    collected_at: new Date(sources.nowMs).toISOString(),
    version: sources.version,
    node_js: process.versions.node,
    v8: process.versions.v8,
    machine: machine(),
    requests: outcomes,
  };
  return { files: [{ name: 'about.json', contents: json(about) }, ...files], outcomes };
}

async function ask({ url, authorization, authority }: DiagnoseSources, name: string, path: string): Promise<Asked> {
  try {
    const { status, text } = await askNode(new URL(path, url), { authorization, authority });
    const contents = name.endsWith('.json') ? redactJson(text) : redactText(text);
    return { file: { name: `api/${name}`, contents }, outcome: String(status) };
  } catch (error) {
    return { file: undefined, outcome: redactText(`no answer: ${whyNoAnswer(error)}`) };
  }
}

/** One that was cut, or is no JSON, is a text. */
function redactJson(text: string): string {
  try {
    return json(redactValue(JSON.parse(text) as JsonValue));
  } catch {
    return redactText(text);
  }
}

async function config(path: string): Promise<readonly CollectedFile[]> {
  try {
    const text = (await readFile(path, 'utf8')).slice(0, CONFIG_BYTES_MAX);
    return [{ name: 'config/quarry.yml', contents: await redactYaml(text) }];
  } catch {
    return [];
  }
}

/** Without comments, which may say anything. */
async function redactYaml(text: string): Promise<string> {
  const { parse, stringify } = await import('yaml');
  return stringify(redactValue((parse(text) ?? null) as JsonValue));
}

async function logs(directory: string): Promise<readonly CollectedFile[]> {
  const names = (await readdir(directory).catch(() => [])).filter(
    (name) => name.endsWith('.log') && !name.startsWith(AUDIT_LOG),
  );
  const dated = await Promise.all(
    names.map(async (name) => ({ name, changedMs: (await stat(join(directory, name))).mtimeMs })),
  );
  const newest = dated.sort((left, right) => right.changedMs - left.changedMs).slice(0, LOG_FILES_MAX);
  return Promise.all(
    newest.map(async ({ name }) => ({
      name: `logs/${name}`,
      contents: redactLog(await tailOf(join(directory, name))),
    })),
  );
}

/** Whole lines. */
async function tailOf(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const length = Math.min(size, LOG_BYTES_MAX);
    const bytes = Buffer.alloc(length);
    await file.read(bytes, 0, length, size - length);
    const text = bytes.toString('utf8');
    return length === size ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    await file.close();
  }
}

function machine(): Readonly<Record<string, unknown>> {
  const processors = cpus();
  return {
    platform: platform(),
    architecture: arch(),
    release: release(),
    processors: processors.length,
    processor_model: processors[0]?.model,
    memory_bytes: totalmem(),
    free_memory_bytes: freemem(),
    load: loadavg(),
    uptime_seconds: uptime(),
  };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
