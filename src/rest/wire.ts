/** What crosses from the front thread to a worker and back, once per request. Plain data and shared memory. */
import type { HttpMethod, Placement, PoolName } from './endpoint.js';

/** One route as the front needs it: the handlers themselves live in the workers only. */
export interface WireRoute {
  /** Position in the table of endpoints. */
  readonly endpoint: number;
  /** The API's name of the operation. */
  readonly name: string;
  readonly method: HttpMethod;
  readonly path: string;
  /** {@link parameterHints} of the endpoint, with commas between them: one text crosses between threads sooner than many. */
  readonly parameters: string;
  readonly pool: PoolName;
  readonly placement: Placement;
  /** What the list of tasks calls its requests. */
  readonly action: string;
  /** They end early when they are cancelled. */
  readonly isCancellable: boolean;
  /** They go on when the client went away. */
  readonly outlivesClient: boolean;
}

export interface WireHeaders {
  readonly contentType: string;
  readonly contentEncoding: string;
  readonly accept: string;
  readonly acceptEncoding: string;
  readonly opaqueId: string;
}

export interface WireRequest {
  readonly endpoint: number;
  readonly method: HttpMethod;
  readonly rawPath: string;
  readonly parts: Readonly<Record<string, string>>;
  /** As sent, without the question mark. */
  readonly query: string;
  readonly headers: WireHeaders;
  /** Shared memory, reused once the request is answered: nothing may keep it. */
  readonly body: Uint8Array | undefined;
  /** Number of its task. */
  readonly task: number;
  /** The words of its task, see `Cancellation`. */
  readonly cancellation: Int32Array;
  /** Who sent it, see `subjectText`; empty: nobody was asked. */
  readonly subject: string;
  /** For the audit log, see `Auditor.witness`; empty: there is none. */
  readonly audit: string;
}

/** A request without a body of which nobody has made a task. */
export type BareRequest = Omit<WireRequest, 'body' | 'task' | 'cancellation'>;

export interface WireAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
}

/** An answer that was there at once. */
export interface PromptAnswer extends WireAnswer {
  /** It is still to be compressed (`packed`). */
  readonly isToBePacked?: boolean;
}

/** A {@link WireRequest} as a row, which crosses between threads in half the time. */
export type PackedRequest = readonly [
  endpoint: number,
  method: HttpMethod,
  rawPath: string,
  parts: Readonly<Record<string, string>>,
  query: string,
  contentType: string,
  contentEncoding: string,
  accept: string,
  acceptEncoding: string,
  opaqueId: string,
  body: Uint8Array | undefined,
  task: number,
  cancellation: Int32Array,
  subject: string,
  audit: string,
];

export function packRequest(request: WireRequest): PackedRequest {
  const { endpoint, method, rawPath, parts, query, headers, body, task, cancellation, subject, audit } = request;
  const { contentType, contentEncoding, accept, acceptEncoding, opaqueId } = headers;
  return [
    endpoint,
    method,
    rawPath,
    parts,
    query,
    contentType,
    contentEncoding,
    accept,
    acceptEncoding,
    opaqueId,
    body,
    task,
    cancellation,
    subject,
    audit,
  ];
}

export function unpackRequest([
  endpoint,
  method,
  rawPath,
  parts,
  query,
  contentType,
  contentEncoding,
  accept,
  acceptEncoding,
  opaqueId,
  body,
  task,
  cancellation,
  subject,
  audit,
]: PackedRequest): WireRequest {
  const headers = { contentType, contentEncoding, accept, acceptEncoding, opaqueId };
  return { endpoint, method, rawPath, parts, query, headers, body, task, cancellation, subject, audit };
}

/** Requests of the pool wait for something else than a processor: for the master, for tasks, for health. */
export function mostlyWaits(pool: PoolName): boolean {
  return pool === 'management';
}
