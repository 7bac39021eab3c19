/** Asks the node that serves this page. */
import { Store } from '../store.js';
import { credentials, signInWanted } from './credentials.js';
import type { Resource } from './resource.js';

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  /** Until the whole answer was there. */
  readonly tookMs: number;
}

export interface RequestOptions {
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** An answer that says no, or none at all. */
export class Failure extends Error {
  /** Undefined: the node did not answer. */
  readonly status: number | undefined;
  readonly type: string | undefined;

  constructor(message: string, status?: number, type?: string) {
    super(message);
    this.status = status;
    this.type = type;
  }
}

/** Whether the node answered of late. */
export const isConnected = new Store(true);

/** The page is at `<node>/_console/`, wherever a proxy shows that. */
export const NODE_URL = new URL('../', document.baseURI);

/** Resolves for every answer, whatever its status. Rejects with a {@link Failure} when there is none. */
export async function send(method: string, path: string, { body, signal }: RequestOptions = {}): Promise<Answer> {
  const headers: Record<string, string> = {};
  const who = credentials.current;
  if (who !== undefined) headers['authorization'] = who.authorization;
  if (body !== undefined) headers['content-type'] = isLines(path) ? 'application/x-ndjson' : 'application/json';
  const startedMs = performance.now();
  try {
    // Without the browser's own credentials it does not ask for a password itself.
    const init: RequestInit = { method, headers, credentials: 'omit', cache: 'no-store' };
    if (body !== undefined) init.body = body;
    if (signal !== undefined) init.signal = signal;
    const response = await fetch(new URL(path.replace(/^\/+/, ''), NODE_URL), init);
    const text = await response.text();
    isConnected.set(true);
    if (response.status === 401) signInWanted.set(true);
    const contentType = response.headers.get('content-type') ?? '';
    return { status: response.status, contentType, text, tookMs: performance.now() - startedMs };
  } catch (error) {
    if (signal?.aborted !== true) isConnected.set(false);
    throw new Failure(`The node does not answer (${error instanceof Error ? error.message : String(error)}).`);
  }
}

/** Rejects with a {@link Failure} unless the answer says yes. */
export async function read<T>({ path }: Resource<T>, signal?: AbortSignal): Promise<T> {
  const answer = await send('GET', path, signal === undefined ? {} : { signal });
  if (answer.status >= 400) throw failureOf(answer);
  return JSON.parse(answer.text) as T;
}

/** For requests that change something. Rejects as {@link read} does. */
export async function change(method: string, path: string, body?: unknown): Promise<void> {
  const answer = await send(method, path, body === undefined ? {} : { body: JSON.stringify(body) });
  if (answer.status >= 400) throw failureOf(answer);
}

export function failureOf({ status, text }: Answer): Failure {
  try {
    const { error } = JSON.parse(text) as { error?: string | { type?: string; reason?: string } };
    if (typeof error === 'string') return new Failure(error, status);
    if (error?.reason !== undefined) return new Failure(error.reason, status, error.type);
  } catch {
    // What is no JSON comes from somebody between.
  }
  return new Failure(`The node answered with status ${status}.`, status);
}

function isLines(path: string): boolean {
  return /\/?_(?:bulk|msearch)(?:\/template)?(?:\?|$)/.test(path);
}
