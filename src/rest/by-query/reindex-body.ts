/** The body of `_reindex`. */
import type { Destination } from '../../actions/by-query/make-writes.js';
import { illegalArgument, QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import { VERSION_TYPES, type VersionType } from '../../native/descriptor.js';
import { Place, type RequestBody } from '../../search/body/place.js';
import { validationFailure } from '../../search/request/combinations.js';
import { readScript } from '../../search/script/read-script.js';
import type { NativeScript } from '../../native/scripts.js';
import { checkPipeline } from '../document/write-parameters.js';
import { readConflicts, readMaxDocs, type Conflicts } from './common.js';
import { readCount } from './query-work.js';

export interface ReindexRequest {
  readonly indices: readonly string[];
  /** What the documents are looked for with. */
  readonly search: RequestBody;
  readonly pageSize: number;
  readonly isSliced: boolean;
  readonly remote: JsonObject | undefined;
  readonly destination: Destination;
  readonly conflicts: Conflicts;
  readonly maxDocs: number | undefined;
  readonly script: NativeScript | undefined;
}

const PAGE_SIZE = 1_000;

export function readReindex(body: RequestBody, maxDocs: number | undefined): ReindexRequest {
  const given = body.object() ?? {};
  const { source = {}, dest = {}, script, conflicts, size, max_docs, ...others } = given;
  for (const name of Object.keys(others)) throw unknownField('reindex', name);
  if (!isJsonObject(source)) throw illegalArgument('[source] of a reindex must be an object');
  if (!isJsonObject(dest)) throw illegalArgument('[dest] of a reindex must be an object');
  const { searched, ...readSource } = sourceOf(source);
  // Numbers and places are those of the text, whose memory is another request's when this one is answered.
  const own = { bytes: new Uint8Array(body.bytes), object: () => ({ ...given, source: searched }) };
  const place = Place.ofBody(own);
  const request = {
    ...readSource,
    search: memberOf(place, 'source').asBody(),
    destination: destinationOf(dest),
    conflicts: conflicts === undefined ? 'abort' : readConflicts(textOf(conflicts)),
    maxDocs: readMaxDocs([countOf('size', size), countOf('max_docs', max_docs), maxDocs]),
    script: script === undefined ? undefined : readScript(memberOf(place, 'script')),
  };
  checkRequest(request);
  return request;
}

function memberOf(place: Place, name: string): Place {
  const found = [...place.members()].find(([each]) => each === name);
  if (found === undefined) throw illegalArgument(`[${name}] is missing`);
  return found[1];
}

function countOf(name: string, value: JsonValue | undefined): number | undefined {
  return value === undefined ? undefined : readCount(name, value);
}

type ReadSource = Pick<ReindexRequest, 'indices' | 'pageSize' | 'isSliced' | 'remote'> & {
  /** What of it is a search. */
  readonly searched: JsonObject;
};

function sourceOf(source: JsonObject): ReadSource {
  const { index, remote, size, _source: shown, ...search } = source;
  for (const name of ['from', 'stored_fields'] as const) {
    if (search[name] !== undefined) throw illegalArgument(`${name} is not supported in this context`);
  }
  if (shown === false) throw illegalArgument('_source:false is not supported in this context');
  if (remote !== undefined && !isJsonObject(remote)) throw illegalArgument('[remote] of a reindex must be an object');
  const shownToo = shown === undefined ? {} : { _source: shown };
  return {
    indices: namesOf(index),
    searched: { ...search, ...shownToo },
    pageSize: size === undefined ? PAGE_SIZE : sizeOf(size),
    isSliced: isJsonObject(search['slice']),
    remote,
  };
}

function sizeOf(size: JsonValue): number {
  const number = typeof size === 'string' && size.trim() !== '' ? Number(size) : size;
  if (typeof number !== 'number' || Number.isNaN(number)) {
    throw new QuarryError('number_format_exception', `For input string: "${textOf(size)}"`);
  }
  return number;
}

function namesOf(index: JsonValue | undefined): readonly string[] {
  if (index === undefined) return [];
  const names = Array.isArray(index) ? (index as readonly JsonValue[]) : [index];
  return names.flatMap((name) => {
    if (typeof name === 'string') return name.split(',');
    throw illegalArgument('[index] of [source] must be a name or a list of names');
  });
}

const OP_TYPES = ['index', 'create'] as const;

function destinationOf(dest: JsonObject): Destination {
  const { index, op_type, version_type, routing = 'keep', pipeline, ...others } = dest;
  for (const name of Object.keys(others)) throw unknownField('dest', name);
  const asked = pipeline === undefined || pipeline === null ? undefined : textOf(pipeline);
  checkPipeline(asked);
  return {
    index: index === undefined ? '' : textOf(index),
    opType: opTypeOf(op_type),
    versionType: versionTypeOf(version_type),
    routing: routing === null ? 'keep' : textOf(routing),
    ...(asked === undefined ? {} : { pipeline: asked }),
  };
}

function opTypeOf(value: JsonValue | undefined): Destination['opType'] {
  if (value === undefined) return 'index';
  const found = OP_TYPES.find((type) => type === value);
  if (found !== undefined) return found;
  throw illegalArgument(`opType must be 'create' or 'index', found: [${textOf(value)}]`);
}

function versionTypeOf(value: JsonValue | undefined): VersionType {
  if (value === undefined) return 'internal';
  const found = VERSION_TYPES.find((type) => type === value);
  if (found !== undefined) return found;
  throw illegalArgument(`No version type match [${textOf(value)}]`);
}

function checkRequest({ indices, remote, destination, isSliced, search }: ReindexRequest): void {
  const problems: string[] = [];
  if (indices.length === 0) problems.push('use _all if you really want to copy from all existing indexes');
  if (destination.index === '') problems.push('index must be specified');
  const { routing } = destination;
  if (routing !== 'keep' && routing !== 'discard' && !routing.startsWith('=')) {
    problems.push('routing must be unset, [keep], [discard] or [=<some new value>]');
  }
  if (destination.opType === 'create' && destination.versionType !== 'internal') {
    problems.push('create operations only support internal versioning. use index instead');
  }
  if (remote !== undefined && isSliced) problems.push("reindex from remote sources doesn't support slices");
  if (remote !== undefined && search.object()?.['sort'] !== undefined) {
    problems.push('reindex from remote sources does not support [sort]');
  }
  if (problems.length > 0) throw validationFailure(problems);
}

/** A text as it is, anything else as JSON. */
function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function unknownField(where: string, name: string): QuarryError {
  return new QuarryError('x_content_parse_exception', `[${where}] unknown field [${name}]`);
}
