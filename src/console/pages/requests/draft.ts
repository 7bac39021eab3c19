/** The request in the editor: other pages put one there that somebody may want to send. */
import { goTo } from '../../routes.js';
import { Store } from '../../store.js';

export interface Draft {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

export const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD'] as const;

export const draft = new Store<Draft>({ method: 'GET', path: '_search', body: '{\n  "query": { "match_all": {} }\n}' });

export function openInEditor(method: string, path: string, body?: unknown): void {
  draft.set({ method, path, body: body === undefined ? '' : JSON.stringify(body, null, 2) });
  goTo('requests');
}
