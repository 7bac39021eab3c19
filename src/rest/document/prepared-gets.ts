/**
 * Reads of documents by id that differ in nothing but their ids: what they have in common is worked out once, and holds for one cluster state. To
 * understand such a request takes several times as long as to read its document.
 */
import type { NodeIdentity } from '../../actions/context.js';
import { primaryPlace } from '../../actions/copy-selection.js';
import { locateDocument } from '../../actions/documents/get-documents.js';
import type { ShardKey } from '../../actions/shard-client.js';
import { COMPRESSION_BYTES_MIN } from '../../base/limits.js';
import type { NodeSettings } from '../../base/node-settings.js';
import { globalBlock } from '../../cluster/blocks/global-blocks.js';
import type { ClusterState } from '../../cluster/state.js';
import type { GetOptions, GetResult } from '../../native/get-options.js';
import { wantsTypes } from '../dispatch.js';
import type { Endpoint } from '../endpoint.js';
import { apiVersion } from '../info/compatibility.js';
import { checkVersions } from '../media-type.js';
import { encoding } from '../present.js';
import { readAccept, readParameters, readPresentation, readQuery, takesGzip } from '../request.js';
import type { WireAnswer, WireRequest } from '../wire.js';
import { getDocument, getOptions, type GetParameters } from './get-document.js';

/** Kinds of requests that are kept, and how much they may say beside the id. */
const KINDS_MAX = 64;
const WORDS_MAX = 512;

export interface PreparedGetServices {
  readonly settings: NodeSettings;
  readonly node: () => NodeIdentity;
  readonly nowMs: () => number;
  /** From what the owner of the shard publishes; undefined where the owner is to be asked. */
  readonly read: (key: ShardKey, id: string, options: GetOptions, bodyBytesMax?: number) => GetResult | undefined;
}

interface PreparedGet {
  readonly options: GetOptions;
  readonly headers: WireAnswer['headers'];
  readonly gzip: boolean;
}

export class PreparedGets {
  private readonly services: PreparedGetServices;
  /** By all that a request says but its id; `false`: such requests take the usual way. */
  private readonly kinds = new Map<string, PreparedGet | false>();
  private state: ClusterState | undefined;

  constructor(services: PreparedGetServices) {
    this.services = services;
  }

  /** Undefined for what takes the usual way: whatever is not quite plain, and every error. */
  answer(endpoint: Endpoint, wire: WireRequest, state: ClusterState): WireAnswer | undefined {
    const { index, id } = wire.parts;
    const isGet = endpoint === getDocument && wire.method === 'GET' && wire.body === undefined;
    if (!isGet || index === undefined || id === undefined) return undefined;
    const kind = this.kindOf(index, wire, state);
    return kind === false ? undefined : this.read(kind, index, id, state);
  }

  private read(
    { options, headers, gzip }: PreparedGet,
    index: string,
    id: string,
    state: ClusterState,
  ): WireAnswer | undefined {
    const { read, node, nowMs } = this.services;
    const { key, document } = locateDocument(state, { index, id, options }, nowMs());
    // Another copy may lack what was written last.
    if (primaryPlace(state, key)?.nodeId !== node().id) return undefined;
    const result = read(key, id, document.options, gzip ? COMPRESSION_BYTES_MIN - 1 : undefined);
    if (result === undefined) return undefined;
    return { status: result.found ? 200 : 404, headers, body: result.body };
  }

  private kindOf(index: string, wire: WireRequest, state: ClusterState): PreparedGet | false {
    const { accept, acceptEncoding, contentType } = wire.headers;
    // None of them has a line in it.
    const words = [index, wire.query, accept, acceptEncoding, contentType].join('\n');
    if (state !== this.state || this.kinds.size >= KINDS_MAX) this.kinds.clear();
    this.state = state;
    const known = this.kinds.get(words);
    if (known !== undefined) return known;
    const kind = this.prepare(index, wire, state);
    if (words.length <= WORDS_MAX) this.kinds.set(words, kind);
    return kind;
  }

  private prepare(index: string, wire: WireRequest, state: ClusterState): PreparedGet | false {
    const { settings, node, nowMs } = this.services;
    // A name of a date means another index tomorrow.
    if (index.startsWith('<') || globalBlock(state, node(), 'read') !== undefined) return false;
    try {
      const mediaType = readAccept(wire);
      const query = readQuery(wire);
      const presentation = readPresentation(query, mediaType);
      checkVersions({ accepted: mediaType, body: undefined }, wire.headers, apiVersion(settings));
      const typed = wantsTypes(getDocument, mediaType, settings);
      const gzip = takesGzip(wire, settings);
      const { format, contentType } = encoding({ presentation, mediaType, gzip, typed });
      const isPlain = format === 'json' && !presentation.pretty && presentation.filterPath.length === 0 && !typed;
      // These are what the endpoint declares.
      const parameters = readParameters(wire, query, getDocument.parameters) as GetParameters;
      // The parser of `preference` may refuse what it says.
      const isOfPrimary = parameters.realtime && !parameters.refresh && parameters.preference === undefined;
      if (!isPlain || !isOfPrimary || query.has('source')) return false;
      const options = getOptions(parameters);
      // Refuses what cannot be read.
      locateDocument(state, { index, id: '', options: { ...options, routing: '' } }, nowMs());
      return { options, headers: [['content-type', contentType]], gzip };
    } catch {
      return false; // The usual way says what is wrong.
    }
  }
}
