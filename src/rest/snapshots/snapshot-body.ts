/** Members that the bodies of snapshots, clones and restores share. */
import { illegalArgument } from '../../base/errors.js';
import { JsonMembers } from '../../base/json-members.js';
import type { JsonObject } from '../../base/json-value.js';
import type { Distribution } from '../endpoint.js';
import { indicesOptions, type IndicesOptions } from '../../cluster/names/indices-options.js';

export class SnapshotBody extends JsonMembers {
  private readonly kind: string;

  /** `kind`: what the body describes, for errors. */
  constructor(kind: string, body: JsonObject) {
    super(body);
    this.kind = kind;
  }

  object(name: string): JsonObject | undefined {
    return this.takeObject(name);
  }

  /** As they were asked for. OpenSearch has none, so that silence asks for none there. */
  featureStates(distribution: Distribution): readonly string[] {
    const asked = this.list('feature_states') ?? [];
    return distribution === 'opensearch' && asked.length === 0 ? ['none'] : asked;
  }

  /** `ignore_unavailable`, `allow_no_indices`, `expand_wildcards`. */
  indicesOptions(defaults: IndicesOptions): IndicesOptions {
    const flagOf = (name: string): boolean | undefined => (this.has(name) ? this.flag(name, false) : undefined);
    const options = {
      ignore_unavailable: flagOf('ignore_unavailable'),
      allow_no_indices: flagOf('allow_no_indices'),
      expand_wildcards: this.list('expand_wildcards'),
    };
    for (const name of ['ignore_unavailable', 'allow_no_indices']) this.skip(name);
    return indicesOptions(defaults, options);
  }

  protected malformed(name: string, wanted: string): Error {
    return illegalArgument(`malformed ${name} of a ${this.kind}, should be ${wanted}`);
  }

  protected unknown(name: string): Error {
    return illegalArgument(`Unknown parameter ${name} of a ${this.kind}`);
  }
}
