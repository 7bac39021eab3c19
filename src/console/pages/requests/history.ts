/** What was sent of late, newest first. Kept by the browser; a body may hold data, so they can be cleared. */
import { Store } from '../../store.js';
import type { Draft } from './draft.js';

const KEY = 'quarry.requests';
const ENTRIES_MAX = 50;
/** Longer bodies are not kept. */
const BODY_LENGTH_MAX = 10_000;

/** Their bodies have passwords in them. */
const HOLDS_SECRETS = /_security|reload_secure_settings/;

export const history = new Store<readonly Draft[]>(stored());

export function remember(sent: Draft): void {
  if (sent.body.length > BODY_LENGTH_MAX || HOLDS_SECRETS.test(sent.path)) return;
  const others = history.current.filter((each) => keyOf(each) !== keyOf(sent));
  keep([sent, ...others].slice(0, ENTRIES_MAX));
}

export function forgetAll(): void {
  keep([]);
}

function keep(entries: readonly Draft[]): void {
  history.set(entries);
  try {
    localStorage.setItem(KEY, JSON.stringify(entries));
  } catch {
    // The browser has no room or keeps nothing: the list lasts as long as the page.
  }
}

function keyOf({ method, path, body }: Draft): string {
  return JSON.stringify([method, path, body]);
}

function stored(): readonly Draft[] {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '[]') as readonly Draft[];
  } catch {
    return [];
  }
}
