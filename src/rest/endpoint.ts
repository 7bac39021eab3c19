/**
 * The shape of an endpoint: what it is called, where it is reached, which parameters and body it takes, and the
 * function that answers. One file per endpoint exports one of these; `rest/endpoints.ts` lists them all.
 */
import type { ActionContext } from '../actions/context.js';
import type { JsonObject, JsonValue } from '../base/json-value.js';
import type { NodeSettings } from '../base/node-settings.js';
import type { Subject } from '../cluster/security/subject.js';
import type { RestAnswer } from './answer.js';
import type { ParameterDeclarations, ParameterValues } from './parameters.js';

export type Distribution = NodeSettings['values']['compatibility.distribution'];

export const HTTP_METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD'] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

/**
 * What the body may be.
 * - `none`: a body is refused.
 * - `json`: one object in any accepted media type; may be absent unless the endpoint asks `requireObject()`.
 * - `ndjson`: lines, left as bytes; JSON or NDJSON media types.
 * - `document`: JSON left as bytes for the kernels (other media types are turned into JSON first).
 */
export type BodyKind = 'none' | 'json' | 'ndjson' | 'document';

/** Which bounded queue admits the request (`thread_pool.<name>.*`). */
export type PoolName = 'search' | 'write' | 'management';

/**
 * Which thread runs the handler. `shard`: the worker that owns the document's shard (of path parts `index` and `id`, parameter `routing`), else the
 * owner of the index's first shard; `any`: the least busy worker; `near`: the front itself where that is a small matter, else as `any`. A handler
 * that is `near` reads, and leaves nothing behind in its thread.
 */
export type Placement = 'shard' | 'any' | 'near';

/** What a subject must be allowed to do, by the reference's name of the action. */
export type EndpointAction<Parts = PathParts<string>> = string | ActionRule<Parts>;

export interface ActionRule<Parts = PathParts<string>> {
  readonly name: string;
  /** Actions that must be allowed besides. */
  readonly also?: readonly string[];
  /** Of requests that may be another action. `subject` is who asks. */
  of?(request: RestRequest<Parts>, subject: Subject): string;
  /** Whether everybody may, as the request concerns nobody but the subject, or what knows its owner. */
  isOwn?(request: RestRequest<Parts>, subject: Subject): boolean;
  /** Of an action on indices: parts of the path that name some. Undefined: `index`. Names in the body are checked where they are resolved. */
  names?(request: RestRequest<Parts>): readonly (string | undefined)[];
  /** Each item of the body is authorised on its own, where its index is resolved; the index of the path is a default for them. */
  readonly isPerItem?: boolean;
}

export interface Route<Path extends string = string> {
  readonly method: HttpMethod;
  /** Parts in braces match one segment: `/{index}/_doc/{id}`. */
  readonly path: Path;
}

/** The request body. Reading it as JSON checks syntax, depth and duplicate keys and gives the place of an error. */
export interface RestBody {
  readonly isEmpty: boolean;
  /** The bytes as JSON or NDJSON (YAML and CBOR are already transcoded). */
  readonly bytes: Uint8Array;
  /** Any JSON value; undefined when there is no body. */
  value(): JsonValue | undefined;
  /** An object; undefined when there is no body. */
  object(): JsonObject | undefined;
  /** An object; refused with `parse_exception` "request body is required" when there is none. */
  requireObject(): JsonObject;
}

/** How the caller wants the answer to look; applied after the handler. `human` and `format` matter to some handlers. */
export interface Presentation {
  readonly format: 'json' | 'yaml' | 'cbor' | 'text' | undefined;
  readonly pretty: boolean;
  readonly human: boolean;
  readonly filterPath: readonly string[];
  readonly errorTrace: boolean;
}

export interface RestRequest<Parts = PathParts<string>, Parameters = ParameterValues<ParameterDeclarations>> {
  readonly method: HttpMethod;
  /** As sent, without the query string. */
  readonly rawPath: string;
  /** As sent, without the question mark. */
  readonly query: string;
  /** Decoded path parts; a part that not every path of the endpoint has may be undefined. */
  readonly parts: Parts;
  readonly parameters: Parameters;
  /** Names of the parameters that the caller sent. */
  readonly sentParameters: ReadonlySet<string>;
  readonly body: RestBody;
  readonly presentation: Presentation;
}

type PartNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PartNames<Rest>
  : never;

/** A part is required when every path of the endpoint has it. */
export type PathParts<Path extends string> = {
  readonly [
    Name in PartNames<Path> as [Exclude<Path, `${string}{${Name}}${string}`>] extends [never] ? Name : never
  ]: string;
} & {
  readonly [
    Name in PartNames<Path> as [Exclude<Path, `${string}{${Name}}${string}`>] extends [never] ? never : Name
  ]?: string;
};

export interface EndpointDefinition<Path extends string, Declarations extends ParameterDeclarations> {
  /** The API's name of the operation, such as `indices.create`. */
  readonly name: string;
  readonly action: EndpointAction<PathParts<Path>>;
  readonly methods: readonly HttpMethod[];
  readonly paths: readonly Path[];
  /** Own parameters; `pretty`, `human`, `format`, `filter_path`, `error_trace`, `source` and `source_content_type` are common to all. */
  readonly parameters: Declarations;
  readonly body: BodyKind;
  readonly pool: PoolName;
  readonly placement: Placement;
  /** Only nodes with this `compatibility.distribution` have it; undefined: all. */
  readonly distribution?: Distribution;
  handle(
    request: RestRequest<PathParts<Path>, ParameterValues<Declarations>>,
    context: ActionContext,
  ): Promise<RestAnswer> | RestAnswer;
}

/** An endpoint as the dispatcher sees it, its own types erased. */
export interface Endpoint {
  readonly name: string;
  readonly action: EndpointAction;
  readonly routes: readonly Route[];
  readonly parameters: ParameterDeclarations;
  readonly body: BodyKind;
  readonly pool: PoolName;
  readonly placement: Placement;
  /** Only nodes with this `compatibility.distribution` have it; undefined: all. */
  readonly distribution?: Distribution;
  handle(request: RestRequest, context: ActionContext): Promise<RestAnswer> | RestAnswer;
}

/** Checks nothing at run time but the shape of the paths: the types do the rest. */
export function defineEndpoint<const Path extends string, const Declarations extends ParameterDeclarations>(
  definition: EndpointDefinition<Path, Declarations>,
): Endpoint {
  const { methods, paths, ...rest } = definition;
  const routes = paths.flatMap((path) => methods.map((method) => ({ method, path })));
  // The dispatcher builds `parts` from the matched path and `parameters` from these declarations, so the erased
  // handler is only ever called with what its own types promise.
  return { ...rest, routes };
}
