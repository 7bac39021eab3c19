/** A request as a browser can send it: it sends no bodies with GET. */
import type { Draft } from './draft.js';
import { leadsTo, type Endpoint } from './suggestions.js';

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
}

/** A body of a GET goes by POST where that is the same operation, else as the parameter that stands for it. */
export function asSent({ method, path, body }: Draft, endpoints: readonly Endpoint[]): SentRequest {
  if (body.trim() === '' || method === 'HEAD') return { method, path, body: undefined };
  // The last line of a bulk request ends, too.
  const whole = /\/?_(?:bulk|msearch)/.test(path) && !body.endsWith('\n') ? `${body}\n` : body;
  if (method !== 'GET') return { method, path, body: whole };
  const isAlsoPost = endpoints.some(
    (each) =>
      each.method === 'GET' &&
      leadsTo(each.path, path.split('?')[0] ?? '') &&
      endpoints.some(
        ({ method: other, name, path: same }) => other === 'POST' && name === each.name && same === each.path,
      ),
  );
  if (isAlsoPost) return { method: 'POST', path, body: whole };
  const source = `source_content_type=application/json&source=${encodeURIComponent(body)}`;
  return { method, path: `${path}${path.includes('?') ? '&' : '?'}${source}`, body: undefined };
}
