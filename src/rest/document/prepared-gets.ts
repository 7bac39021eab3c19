/**
 * Reads of documents by id that differ in nothing but their ids: what they have in common is worked out once, and holds for one cluster state. To
 * understand such a request takes several times as long as to read its document.
 */
import type { NodeIdentity } from '../../actions/context.js';
import { copiesOf } from '../../actions/copy-selection.js';
import { locateDocument } from '../../actions/documents/get-documents.js';
import { routingTarget, shardKey } from '../../actions/documents/write-target.js';
import type { ShardKey } from '../../actions/shard-client.js';
import { COMPRESSION_BYTES_MIN } from '../../base/limits.js';
import type { NodeSettings } from '../../base/node-settings.js';
import { globalBlock } from '../../cluster/blocks/global-blocks.js';
import { isActive, primaryOf } from '../../cluster/copies/shard-copies.js';
import type { ClusterState, IndexMetadata } from '../../cluster/state.js';
import { shardOf, type RoutingTarget } from '../../native/bulk.js';
import { optionsJson, type GetResult, type OptionsText } from '../../native/get-options.js';
import { wholeView } from '../authorise.js';
import type { Endpoint } from '../endpoint.js';
import { plainAnswer } from '../plain-answer.js';
import { RepeatedRequests } from '../repeated-requests.js';
import { readParameters, readQuery } from '../request.js';
import type { BareRequest, WireAnswer } from '../wire.js';
import { getDocument, getOptions, type GetParameters } from './get-document.js';

export interface PreparedGetServices {
  readonly settings: NodeSettings;
  readonly node: () => NodeIdentity;
  readonly nowMs: () => number;
  /** From what the owner of the shard publishes; undefined where the owner is to be asked. */
  readonly read: (key: ShardKey, id: string, options: OptionsText, bodyBytesMax?: number) => GetResult | undefined;
}

interface PreparedGet {
  readonly options: OptionsText;
  readonly headers: WireAnswer['headers'];
  readonly bodyBytesMax: number | undefined;
  readonly target: RoutingTarget;
  readonly routing: string | undefined;
  /** By number; undefined where the primary is not on this node: another copy may lack what was written last. */
  readonly shards: readonly (ShardKey | undefined)[];
}

export class PreparedGets {
  private readonly services: PreparedGetServices;
  /** `false`: such requests take the usual way. */
  private readonly kinds = new RepeatedRequests<PreparedGet | false>();

  constructor(services: PreparedGetServices) {
    this.services = services;
  }

  /** Undefined for what takes the usual way: whatever is not quite plain, and every error. */
  answer(endpoint: Endpoint | undefined, request: BareRequest, state: ClusterState): WireAnswer | undefined {
    const { index, id } = request.parts;
    if (endpoint !== getDocument || request.method !== 'GET' || index === undefined || id === undefined)
      return undefined;
    let kind = this.kinds.find(index, request, state);
    if (kind === undefined) {
      kind = this.prepare(index, request, state);
      this.kinds.keep(index, request, state, kind);
    }
    return kind === false ? undefined : this.read(kind, id);
  }

  /** Whether {@link answer} knew what such a request asks for. */
  isPrepared(request: BareRequest, state: ClusterState): boolean {
    const { index, id } = request.parts;
    const kind = index === undefined || id === undefined ? undefined : this.kinds.find(index, request, state);
    return kind !== undefined && kind !== false;
  }

  private read(
    { options, headers, bodyBytesMax, target, routing, shards }: PreparedGet,
    id: string,
  ): WireAnswer | undefined {
    const key = shards[shards.length === 1 ? 0 : shardOf(target, id, routing)];
    const result = key && this.services.read(key, id, options, bodyBytesMax);
    return result && { status: result.found ? 200 : 404, headers, body: result.body };
  }

  private prepare(index: string, request: BareRequest, state: ClusterState): PreparedGet | false {
    const { settings, node, nowMs } = this.services;
    // A name of a date means another index tomorrow.
    if (index.startsWith('<') || globalBlock(state, node(), 'read') !== undefined) return false;
    try {
      const query = readQuery(request);
      const plain = plainAnswer(getDocument, request, false, settings);
      // These are what the endpoint declares.
      const parameters = readParameters(request, query, getDocument.parameters) as GetParameters;
      // The parser of `preference` may refuse what it says.
      const isOfPrimary = parameters.realtime && !parameters.refresh && parameters.preference === undefined;
      if (plain === undefined || !isOfPrimary || query.has('source')) return false;
      const address = { index, id: '', options: getOptions(parameters) };
      // Refuses what cannot be read.
      const seen = wholeView(getDocument, request, state, nowMs());
      if (seen === undefined) return false;
      const { index: found, document } = locateDocument(seen, address, nowMs());
      return {
        options: optionsJson(document.options),
        headers: plain.headers,
        bodyBytesMax: plain.gzip ? COMPRESSION_BYTES_MIN - 1 : undefined,
        target: routingTarget(found),
        routing: document.options.routing,
        shards: this.ownShards(found, state),
      };
    } catch {
      return false; // The usual way says what is wrong.
    }
  }

  private ownShards(index: IndexMetadata, state: ClusterState): readonly (ShardKey | undefined)[] {
    const { id } = this.services.node();
    return Array.from({ length: index.numberOfShards }, (_, shard) => {
      const key = shardKey(index, shard);
      const primary = primaryOf(copiesOf(state, key));
      // One that is being restored has nothing yet.
      return primary?.nodeId === id && isActive(primary) ? key : undefined;
    });
  }
}
