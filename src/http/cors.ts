/**
 * Which pages of other origins may use this node from a browser (`http.cors.*`). The browser enforces it by the headers of the answers; a
 * request from an origin that is not allowed is refused before anything is done for it.
 */
import { QuarryError } from '../base/errors.js';
import type { NodeSettings } from '../base/node-settings.js';

type Header = readonly [name: string, value: string];

/** What to answer to a request that names its origin. */
export type CorsVerdict =
  | { readonly kind: 'refused'; readonly error: QuarryError }
  | { readonly kind: 'preflight' | 'request'; readonly headers: readonly Header[] };

interface CrossOriginRequest {
  readonly method: string;
  readonly origin: string;
  readonly host: string;
  /** `Access-Control-Request-Method`, which makes an `OPTIONS` the question of a browser. */
  readonly requestedMethod: string;
}

export class Cors {
  private readonly values: NodeSettings['values'];
  private readonly isAllowed: (origin: string) => boolean;
  private readonly allowsAny: boolean;

  private constructor(values: NodeSettings['values'], isAllowed: (origin: string) => boolean) {
    this.values = values;
    this.isAllowed = isAllowed;
    this.allowsAny = values['http.cors.allow-origin'].includes('*');
  }

  /** Of a node with `http.cors.enabled`. Refuses a pattern of origins that is none. */
  static async of({ values }: NodeSettings): Promise<Cors> {
    return new Cors(values, await originTest(values['http.cors.allow-origin']));
  }

  judge(request: CrossOriginRequest): CorsVerdict {
    const isPreflight = request.method === 'OPTIONS' && request.requestedMethod !== '';
    const allowed = this.originHeaders(request);
    if (allowed === undefined) return { kind: 'refused', error: originRefused(request.origin) };
    if (!isPreflight) return { kind: 'request', headers: [...allowed, ...this.exposeHeaders()] };
    const headers: Header[] = [
      ...allowed,
      ['Access-Control-Allow-Methods', this.values['http.cors.allow-methods'].join(', ')],
      ['Access-Control-Allow-Headers', this.values['http.cors.allow-headers'].join(', ')],
      ['Access-Control-Max-Age', String(this.values['http.cors.max-age'])],
    ];
    return { kind: 'preflight', headers };
  }

  private originHeaders({ origin, host }: CrossOriginRequest): readonly Header[] | undefined {
    const hasCredentials = this.values['http.cors.allow-credentials'];
    if (this.allowsAny && !hasCredentials) return [['Access-Control-Allow-Origin', '*']];
    if (!this.allowsAny && !this.isAllowed(origin) && !isSameOrigin(origin, host)) return undefined;
    const credentials: readonly Header[] = hasCredentials ? [['Access-Control-Allow-Credentials', 'true']] : [];
    return [['Access-Control-Allow-Origin', origin], ['Vary', 'Origin'], ...credentials];
  }

  private exposeHeaders(): readonly Header[] {
    const names = this.values['http.cors.expose-headers'];
    return names.length === 0 ? [] : [['Access-Control-Expose-Headers', names.join(', ')]];
  }
}

function originRefused(origin: string): QuarryError {
  return new QuarryError('security_exception', `origin [${origin}] is not among those of [http.cors.allow-origin]`);
}

/** Browsers name the origin also in what a page asks of its own host. */
function isSameOrigin(origin: string, host: string): boolean {
  return host !== '' && origin.slice(origin.indexOf('://') + 3).toLowerCase() === host.toLowerCase();
}

/** A pattern stands between slashes and is about the whole origin; all else is compared, whatever the case. */
async function originTest(allowed: readonly string[]): Promise<(origin: string) => boolean> {
  const [first = ''] = allowed;
  if (!/^\/.*\/$/.test(first)) {
    const origins = new Set(allowed.map((origin) => origin.toLowerCase()));
    return (origin) => origins.has(origin.toLowerCase());
  }
  // Its time is linear in the header, whatever the pattern.
  const { RE2JS } = await import('re2js');
  try {
    const pattern = RE2JS.compile(first.slice(1, -1));
    return (origin) => pattern.matches(origin);
  } catch (error) {
    const reason = `setting [http.cors.allow-origin] has the pattern [${first}], which is none: ${String(error)}`;
    throw new QuarryError('settings_exception', reason);
  }
}
