/** A request as a command for a shell. */
import type { Draft } from './draft.js';

/** Without credentials: they would end up where commands are shared. */
export function curlCommand({ method, path, body }: Draft, nodeUrl: string, isSecured: boolean): string {
  const parts = ['curl', method === 'HEAD' ? '-I' : `-X${method}`, quoted(nodeUrl + path.replace(/^\/+/, ''))];
  if (isSecured) parts.push('-u "$QUARRY_USER"');
  if (body.trim() !== '') {
    const type = /\/?_(?:bulk|msearch)/.test(path) ? 'application/x-ndjson' : 'application/json';
    parts.push(`-H 'content-type: ${type}'`, `--data-binary ${quoted(body)}`);
  }
  return parts.join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
