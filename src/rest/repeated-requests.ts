/**
 * What was worked out for requests that come again and again in the same words, from the same subject, for one cluster state. Requests have no
 * bodies.
 */
import { CacheCounter } from '../base/cache-counters.js';
import type { ClusterState } from '../cluster/state.js';
import type { BareRequest } from './wire.js';

/** Kinds of requests that are kept, and how much they may say. */
const KINDS_MAX = 256;
const WORDS_MAX = 4_096;

const counter = new CacheCounter('repeated_requests');

interface Kept<Value> {
  readonly about: string;
  readonly request: Pick<BareRequest, 'endpoint' | 'method' | 'query' | 'headers' | 'subject'>;
  readonly value: Value;
}

export class RepeatedRequests<Value> {
  private readonly kinds = new Map<string, Kept<Value>>();
  private state: ClusterState | undefined;
  /** Of the request before: most often the next one says the same, which is seen without a key. */
  private last: Kept<Value> | undefined;

  /** `about`: what else tells such requests apart. Whatever it gives is shared: nobody may change it. */
  find(about: string, request: BareRequest, state: ClusterState): Value | undefined {
    if (state !== this.state) {
      this.kinds.clear();
      this.last = undefined;
      this.state = state;
    }
    if (this.last === undefined || !isSame(this.last, about, request)) {
      this.last = this.kinds.get(keyOf(about, request));
    }
    if (this.last === undefined) counter.miss();
    else counter.hit();
    return this.last?.value;
  }

  /** `state` is what it was worked out by. */
  keep(about: string, request: BareRequest, state: ClusterState, value: Value): void {
    const key = keyOf(about, request);
    if (state !== this.state || key.length > WORDS_MAX) return;
    if (this.kinds.size >= KINDS_MAX) {
      counter.evicted(this.kinds.size);
      this.kinds.clear();
    }
    const { endpoint, method, query, headers, subject } = request;
    this.kinds.set(key, { about, request: { endpoint, method, query, headers, subject }, value });
  }
}

function isSame<Value>({ about, request }: Kept<Value>, otherAbout: string, other: BareRequest): boolean {
  return (
    about === otherAbout &&
    request.endpoint === other.endpoint &&
    request.method === other.method &&
    request.query === other.query &&
    request.headers.accept === other.headers.accept &&
    request.headers.acceptEncoding === other.headers.acceptEncoding &&
    request.headers.contentType === other.headers.contentType &&
    request.subject === other.subject
  );
}

/** Only the first part, which is what the path names, may have lines in it. */
function keyOf(about: string, { endpoint, method, query, headers, subject }: BareRequest): string {
  const { accept, acceptEncoding, contentType } = headers;
  return [about, endpoint, method, query, accept, acceptEncoding, contentType, subject].join('\n');
}
