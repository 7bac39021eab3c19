/** Who the browser says it is: kept for this tab only, until it is closed or the user signs out. */
import { Store } from '../store.js';

const KEY = 'quarry.authorization';

export interface Credentials {
  /** The header `Authorization`. */
  readonly authorization: string;
  /** For the eye. */
  readonly label: string;
}

/** Undefined: nobody. */
export const credentials = new Store<Credentials | undefined>(stored());

/** Whether a request was refused as the node wants to know who asks. */
export const signInWanted = new Store(false);

export function signIn(next: Credentials): void {
  sessionStorage.setItem(KEY, JSON.stringify(next));
  credentials.set(next);
  signInWanted.set(false);
}

export function signOut(): void {
  sessionStorage.removeItem(KEY);
  credentials.set(undefined);
  signInWanted.set(true);
}

export function withPassword(user: string, password: string): Credentials {
  return { authorization: `Basic ${base64(`${user}:${password}`)}`, label: user };
}

/** `key` is as the node gave it: `id:secret`, or both encoded together. */
export function withApiKey(key: string): Credentials {
  return { authorization: `ApiKey ${key.includes(':') ? base64(key) : key}`, label: 'API key' };
}

/** Of UTF-8, which `btoa` alone does not take. */
function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function stored(): Credentials | undefined {
  const text = sessionStorage.getItem(KEY);
  return text === null ? undefined : (JSON.parse(text) as Credentials);
}
