/** Pipelines among the aggregations of a level: what they may stand on and in, and the order in which they are computed. */
import { illegalArgument, QuarryError } from '../../../base/errors.js';
import type { AggregationPlan } from '../aggregation-plan.js';
import type { AggregationParser } from '../aggregation-parser.js';
import { parsePath, type PathElement } from './buckets-path.js';

/** An aggregation as it was parsed. */
export interface ParsedAggregation {
  readonly plan: AggregationPlan;
  readonly parser: AggregationParser;
  /** Paths that it takes values from, as they were written. */
  readonly inputs: readonly string[];
}

export interface ParentAggregation {
  readonly parser: AggregationParser;
  readonly plan: { readonly kind: object };
}

/** Aggregations that pipelines of a sequence of buckets may stand in. */
const SEQUENTIAL_PARENTS: ReadonlySet<string> = new Set(['histogram', 'date_histogram', 'auto_date_histogram']);

/** The plans of a level, pipelines last and each behind those that it stands on. */
export function arrange(
  level: readonly ParsedAggregation[],
  parent: ParentAggregation | undefined,
): readonly AggregationPlan[] {
  const pipelines = level.filter(({ parser }) => parser.pipeline !== undefined);
  const others = level.filter(({ parser }) => parser.pipeline === undefined);
  const named = new Map(others.map((other) => [other.plan.name, other]));
  const faults = pipelines.flatMap((pipeline) => faultsOf(pipeline, named, parent));
  if (faults.length > 0) {
    const numbered = faults.map((fault, place) => `${place + 1}: ${fault};`).join('');
    throw new QuarryError('action_request_validation_exception', `Validation Failed: ${numbered}`);
  }
  return [...others, ...inOrder(pipelines, others)].map(({ plan }) => plan);
}

function faultsOf(
  { plan, parser, inputs }: ParsedAggregation,
  others: ReadonlyMap<string, ParsedAggregation>,
  parent: ParentAggregation | undefined,
): readonly string[] {
  const called = `${parser.name} aggregation [${plan.name}]`;
  switch (parser.pipeline) {
    case 'parent':
      return parent === undefined ? [`${called} must be declared inside of another aggregation`] : [];
    case 'sequential':
      return sequentialFaults(called, parent);
    default:
      return inputs.flatMap((input) => siblingFaults(plan.name, input, others));
  }
}

function sequentialFaults(called: string, parent: ParentAggregation | undefined): readonly string[] {
  const rule = `${called} must have a histogram, date_histogram or auto_date_histogram as parent`;
  if (parent === undefined) return [`${rule} but doesn't have a parent`];
  if (!SEQUENTIAL_PARENTS.has(parent.parser.name)) return [rule];
  const [histogram] = Object.values(parent.plan.kind) as readonly { readonly min_doc_count?: number }[];
  const minDocCount = histogram?.min_doc_count ?? 0;
  return minDocCount === 0 ? [] : [`parent histogram of ${called} must have min_doc_count of 0`];
}

function siblingFaults(name: string, input: string, others: ReadonlyMap<string, ParsedAggregation>): readonly string[] {
  const found = others.get(parsePath(input)[0]?.name ?? '');
  if (found === undefined) return [`buckets_path aggregation does not exist for aggregation [${name}]: ${input}`];
  if (found.parser.takesChildren) return [];
  return [
    `The first aggregation in buckets_path must be a multi-bucket aggregation for aggregation [${name}] found :` +
      `${found.parser.name} for buckets path: ${input}`,
  ];
}

/** Each behind those that it takes values from. */
function inOrder(
  pipelines: readonly ParsedAggregation[],
  others: readonly ParsedAggregation[],
): readonly ParsedAggregation[] {
  const byName = new Map(pipelines.map((pipeline) => [pipeline.plan.name, pipeline]));
  const plans = new Map(others.map(({ plan }) => [plan.name, plan]));
  const ordered = new Set<ParsedAggregation>();
  const open = new Set<ParsedAggregation>();
  /** What those that are open still stand on; the last is the one that is looked at. A stack of calls has no room for thousands. */
  const below: { readonly pipeline: ParsedAggregation; readonly inputs: ParsedAggregation[] }[] = [];
  const enter = (pipeline: ParsedAggregation): void => {
    if (ordered.has(pipeline)) return;
    if (open.has(pipeline)) {
      throw illegalArgument(`Cyclical dependency found with pipeline aggregator [${pipeline.plan.name}]`);
    }
    open.add(pipeline);
    below.push({ pipeline, inputs: pipelinesBelow(pipeline, byName, plans).reverse() });
  };
  for (const first of pipelines) {
    enter(first);
    for (let last = below.at(-1); last !== undefined; last = below.at(-1)) {
      const next = last.inputs.pop();
      if (next !== undefined) {
        enter(next);
        continue;
      }
      below.pop();
      open.delete(last.pipeline);
      ordered.add(last.pipeline);
    }
  }
  return [...ordered];
}

/** Pipelines that it takes values from, once the paths to everything else are known to lead somewhere. */
function pipelinesBelow(
  { inputs }: ParsedAggregation,
  byName: ReadonlyMap<string, ParsedAggregation>,
  plans: ReadonlyMap<string, AggregationPlan>,
): ParsedAggregation[] {
  return inputs.flatMap((input) => {
    if (input === '_count' || input === '_key') return [];
    const elements = parsePath(input);
    const other = byName.get(elements[0]?.name ?? '');
    if (other !== undefined) return [other];
    checkPath(input, elements, plans);
    return [];
  });
}

function checkPath(path: string, elements: readonly PathElement[], plans: ReadonlyMap<string, AggregationPlan>): void {
  const [first, ...rest] = elements;
  if (first?.name === '_count' || first?.name === '_bucket_count') return;
  let found = plans.get(first?.name ?? '');
  if (found === undefined) throw illegalArgument(`No aggregation found for path [${path}]`);
  for (const [place, { name }] of rest.entries()) {
    const isLast = place === rest.length - 1;
    if (isLast && (name === '_count' || name === '_key' || name === '_bucket_count')) return;
    found = found.aggs.find((aggregation) => aggregation.name === name);
    if (found === undefined) throw illegalArgument(`No aggregation [${name}] found for path [${path}]`);
  }
}
