/** What pipelines have in common: where their values come from, and how results are printed. */
import type { Place } from '../../body/place.js';
import { readText } from '../../body/read.js';
import type { OptionReaders } from '../../query/query-parser.js';
import type { AggregationContext } from '../aggregation-parser.js';
import { flatPath } from './buckets-path.js';

const GAP_POLICIES: ReadonlySet<string> = new Set(['insert_zeros', 'skip', 'keep_values']);

export type GapPolicyPlan = 'insert_zeros' | 'skip' | 'keep_values';

export interface PipelineInputPlan {
  readonly path: readonly string[];
  readonly gaps: GapPolicyPlan;
  readonly format?: string;
}

/** `buckets_path`, `gap_policy` and `format`. */
export class PipelineOptions {
  #path: string | undefined;
  #gaps: GapPolicyPlan;
  #format: string | undefined;
  readonly #kind: string;
  readonly #context: AggregationContext;

  constructor(kind: string, context: AggregationContext, gaps: GapPolicyPlan = 'skip') {
    this.#gaps = gaps;
    this.#kind = kind;
    this.#context = context;
  }

  get readers(): OptionReaders {
    return {
      buckets_path: (value) => void (this.#path = this.#readPath(value)),
      gap_policy: (value) => void (this.#gaps = readGapPolicy(value)),
      format: (value) => void (this.#format = readText(value)),
    };
  }

  input(place: Place): PipelineInputPlan {
    if (this.#path === undefined) {
      throw place.error(`Missing required field [buckets_path] for ${this.#kind} aggregation [${this.#context.name}]`);
    }
    this.#context.noteInput(this.#path);
    const format = this.#format === undefined ? {} : { format: this.#format };
    return { path: flatPath(this.#path), gaps: this.#gaps, ...format };
  }

  #readPath(place: Place): string {
    const paths = place.isObject ? place.members().map(([, path]) => path) : place.items();
    const [path, second] = paths;
    if (path === undefined || second !== undefined) {
      throw place.error(
        `Validation Failed: 1: buckets_path must contain a single entry for aggregation [${this.#context.name}];`,
        'action_request_validation_exception',
      );
    }
    return readText(path);
  }
}

export function readGapPolicy(place: Place): GapPolicyPlan {
  const text = readText(place);
  if (GAP_POLICIES.has(text)) return text as GapPolicyPlan;
  throw place.error(`Invalid gap policy: [${text}], accepted values: [${[...GAP_POLICIES].join(', ')}]`);
}
