/**
 * The files of the web console (`src/console/`), as the front serves them itself. Everybody may have them, as a browser has to load the
 * page before it can ask for a password: they contain nothing of the cluster, and what they show comes from the API.
 */
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { QuarryError } from '../base/errors.js';
import { COMPRESSION_BYTES_MIN } from '../base/limits.js';
import type { NodeSettings } from '../base/node-settings.js';
import { errorBody } from '../rest/error-body.js';
import type { WireAnswer, WireRoute } from '../rest/wire.js';
import { readProgramFiles } from '../store/program-files.js';

/** What of a request matters here. */
export interface FileRequest {
  readonly method: string;
  /** As sent, without the query string. */
  readonly rawPath: string;
  readonly headers: { readonly acceptEncoding: string };
}

type CompletedRoute = Pick<WireRoute, 'name' | 'method' | 'path' | 'parameters'>;

export interface ConsoleOptions {
  readonly settings: Pick<NodeSettings, 'values'>;
  /** The editor completes their paths and parameters. */
  readonly routes: readonly CompletedRoute[];
}

interface ConsoleFile {
  readonly contentType: string;
  readonly tag: string;
  readonly plain: Uint8Array;
  /** Undefined where it saves nothing. */
  readonly packed: Uint8Array | undefined;
}

const ROOT = '/_console';
const INDEX = 'index.html';
const ENDPOINTS = 'endpoints.json';
const DIRECTORY = fileURLToPath(new URL('../../dist/program/console/', import.meta.url));
const METHODS = 'GET, HEAD';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
};

/** The page runs its own files only, asks this node only, cannot be framed, and no text can become markup or a script. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const COMMON_HEADERS: readonly (readonly [string, string])[] = [
  ['Content-Security-Policy', POLICY],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  // A browser asks each time whether it has the newest: a page never meets a script of another version.
  ['Cache-Control', 'no-cache'],
  ['Vary', 'Accept-Encoding'],
];

const EMPTY = new Uint8Array(0);

export class ConsoleFiles {
  private readonly options: ConsoleOptions;
  /** Read when somebody first asks: the start of a node pays nothing for them. */
  private files: Promise<ReadonlyMap<string, ConsoleFile>> | undefined;

  constructor(options: ConsoleOptions) {
    this.options = options;
  }

  /** Rejects with the API's error for unknown files and where the console is turned off. */
  async answer(request: FileRequest, ifNoneMatch: string): Promise<WireAnswer> {
    const { method, rawPath } = request;
    if (!this.options.settings.values['console.enabled']) {
      const reason = `no handler found for uri [${rawPath}] and method [${method}]: the console is turned off, see [console.enabled]`;
      throw new QuarryError('no_handler_found_exception', reason);
    }
    if (method === 'OPTIONS') return { status: 200, headers: [['Allow', METHODS]], body: EMPTY };
    if (method !== 'GET' && method !== 'HEAD') {
      const reason = `Incorrect HTTP method for uri [${rawPath}] and method [${method}], allowed: [${METHODS}]`;
      const { status, body } = errorBody(new QuarryError('method_not_allowed_exception', reason), {
        errorTrace: false,
      });
      const headers = [
        ['Allow', METHODS],
        ['content-type', 'application/json'],
      ] as const;
      return { status, headers, body: Buffer.from(JSON.stringify(body)) };
    }
    // Files are named relative to the page, which a proxy may serve at another place.
    if (rawPath === ROOT) return { status: 301, headers: [['Location', `${ROOT.slice(1)}/`]], body: EMPTY };
    return this.send(request, ifNoneMatch);
  }

  private async send({ rawPath, headers: asked }: FileRequest, ifNoneMatch: string): Promise<WireAnswer> {
    this.files ??= this.load();
    const name = rawPath.slice(ROOT.length + 1) || INDEX;
    // The name is looked up among those that are there: no path leads out of the directory.
    const file = (await this.files).get(name);
    if (file === undefined) {
      throw new QuarryError('resource_not_found_exception', `the console has no file [${rawPath}]`);
    }
    const headers: (readonly [string, string])[] = [...COMMON_HEADERS, ['ETag', file.tag]];
    if (matches(ifNoneMatch, file.tag)) return { status: 304, headers, body: EMPTY };
    headers.push(['content-type', file.contentType]);
    if (file.packed === undefined || !/\bgzip\b/.test(asked.acceptEncoding))
      return { status: 200, headers, body: file.plain };
    headers.push(['content-encoding', 'gzip']);
    return { status: 200, headers, body: file.packed };
  }

  private async load(): Promise<ReadonlyMap<string, ConsoleFile>> {
    try {
      const contents = new Map(await readProgramFiles(DIRECTORY));
      contents.set(ENDPOINTS, Buffer.from(JSON.stringify(this.endpoints())));
      const made = [...contents].map(async ([name, bytes]) => [name, await this.makeFile(name, bytes)] as const);
      return new Map(await Promise.all(made));
    } catch (error) {
      // The next request tries again.
      this.files = undefined;
      throw error;
    }
  }

  private async makeFile(name: string, plain: Uint8Array): Promise<ConsoleFile> {
    const packs = this.options.settings.values['http.compression'] && plain.length >= COMPRESSION_BYTES_MIN;
    const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
    return {
      contentType: CONTENT_TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
      // Weak: the compressed bytes have the same.
      tag: `W/"${hash}"`,
      plain,
      packed: packs ? await gzip(plain) : undefined,
    };
  }

  /** What the node answers to, in order of paths. */
  private endpoints(): ConsoleOptions['routes'] {
    const routes = this.options.routes.map(({ name, method, path, parameters }) => ({
      name,
      method,
      path,
      parameters,
    }));
    return routes.sort((a, b) => (a.path === b.path ? order(a.method, b.method) : order(a.path, b.path)));
  }
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function matches(ifNoneMatch: string, tag: string): boolean {
  return ifNoneMatch.split(',').some((each) => each.trim() === '*' || each.trim() === tag);
}

async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  const zlib = await import('node:zlib');
  return promisify(zlib.gzip)(bytes, { level: 9 });
}
