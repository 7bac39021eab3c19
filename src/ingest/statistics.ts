/** How often pipelines and processors ran in one thread, how long, and how often they failed. */
import type { Clock } from '../base/clock.js';
import type { Pipeline, Step } from './pipeline.js';
import type { RunObserver, StepResult } from './run/pipeline-run.js';

/** Plain data. */
export interface Figures {
  readonly count: number;
  readonly timeMs: number;
  readonly current: number;
  readonly failed: number;
}

export interface ProcessorFigures extends Figures {
  readonly name: string;
  readonly type: string;
}

export interface PipelineFigures extends Figures {
  /** Of sources whose first pipeline it was, as they came. */
  readonly ingestedBytes: number;
  /** Of the same ones behind all their pipelines; nothing of those that failed or were dropped. */
  readonly producedBytes: number;
  readonly processors: readonly ProcessorFigures[];
}

export interface IngestFigures {
  readonly total: Figures;
  readonly pipelines: Readonly<Record<string, PipelineFigures>>;
}

interface Counter {
  count: number;
  timeMs: number;
  current: number;
  failed: number;
}

interface PipelineCounters {
  readonly own: Counter;
  readonly bytes: { ingestedBytes: number; producedBytes: number };
  pipeline: Pipeline | undefined;
  steps: readonly { readonly name: string; readonly type: string; readonly counter: Counter }[];
}

export class IngestStatistics implements RunObserver {
  readonly #clock: Clock;
  readonly #total = newCounter();
  readonly #pipelines = new Map<string, PipelineCounters>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Of one document, all pipelines that it goes through. */
  documentStarted(): number {
    return this.#start(this.#total);
  }

  documentEnded(started: number, failed: boolean): void {
    this.#end(this.#total, started, failed);
  }

  /** A document whose first pipeline has this id went through all of its pipelines, or ended in one. */
  documentPassed(firstPipeline: string, ingestedBytes: number, producedBytes: number): void {
    const bytes = this.#pipelines.get(firstPipeline)?.bytes;
    if (bytes === undefined) return;
    bytes.ingestedBytes += ingestedBytes;
    bytes.producedBytes += producedBytes;
  }

  pipelineStarted(pipeline: Pipeline): number {
    return this.#start(this.#of(pipeline).own);
  }

  pipelineEnded(pipeline: Pipeline, started: number, failed: boolean): void {
    this.#end(this.#of(pipeline).own, started, failed);
  }

  stepStarted(pipeline: Pipeline, place: number): number {
    const step = this.#of(pipeline).steps[place];
    return step === undefined ? 0 : this.#start(step.counter);
  }

  stepEnded(pipeline: Pipeline, place: number, started: number, result: StepResult): void {
    const step = this.#of(pipeline).steps[place];
    if (step === undefined) return;
    if (result === 'skipped') step.counter.current--;
    else this.#end(step.counter, started, result === 'failed');
  }

  /** Pipelines that are no more are forgotten. */
  keepOnly(exists: (id: string) => boolean): void {
    for (const id of this.#pipelines.keys()) if (!exists(id)) this.#pipelines.delete(id);
  }

  figures(): IngestFigures {
    const pipelines = [...this.#pipelines].map(([id, { own, bytes, steps }]) => {
      const processors = steps.map(({ name, type, counter }) => ({ name, type, ...counter }));
      return [id, { ...own, ...bytes, processors }] as const;
    });
    return { total: { ...this.#total }, pipelines: Object.fromEntries(pipelines) };
  }

  #start(counter: Counter): number {
    counter.current++;
    return this.#clock.monotonicMs();
  }

  #end(counter: Counter, started: number, failed: boolean): void {
    counter.current--;
    counter.count++;
    counter.timeMs += this.#clock.monotonicMs() - started;
    if (failed) counter.failed++;
  }

  /** Processors of a pipeline that was changed begin anew; the pipeline goes on. */
  #of(pipeline: Pipeline): PipelineCounters {
    let counters = this.#pipelines.get(pipeline.id);
    if (counters === undefined) {
      const bytes = { ingestedBytes: 0, producedBytes: 0 };
      counters = { own: newCounter(), bytes, pipeline: undefined, steps: [] };
      this.#pipelines.set(pipeline.id, counters);
    }
    if (counters.pipeline !== pipeline) {
      counters.pipeline = pipeline;
      counters.steps = pipeline.steps.map((step) => ({ ...namesOf(step), counter: newCounter() }));
    }
    return counters;
  }
}

function newCounter(): Counter {
  return { count: 0, timeMs: 0, current: 0, failed: 0 };
}

/** As the API names them: one with a condition and handlers of its own is known by what surrounds it. */
export function namesOf(step: Step): { readonly name: string; readonly type: string } {
  const isWrapped = step.ignoreFailure || step.onFailure.length > 0;
  const own = step.calls ?? '';
  const tag = step.tag ?? '';
  const type = step.holds === undefined ? step.type : 'conditional';
  if (step.holds !== undefined && isWrapped) return { name: `compound:CompoundProcessor-${tag}`, type };
  return { name: [step.type, own, tag].filter((part) => part !== '').join(':'), type };
}

export const NO_INGEST: IngestFigures = { total: newCounter(), pipelines: {} };

/** Of all threads of a node. */
export function sumFigures(all: readonly IngestFigures[]): IngestFigures {
  const pipelines = new Map<string, PipelineFigures>();
  for (const { pipelines: own } of all) {
    for (const [id, figures] of Object.entries(own)) {
      const before = pipelines.get(id);
      pipelines.set(id, before === undefined ? figures : addPipelines(before, figures));
    }
  }
  const total = all.map((each) => each.total).reduce(add, NO_INGEST.total);
  return { total, pipelines: Object.fromEntries(pipelines) };
}

function addPipelines(left: PipelineFigures, right: PipelineFigures): PipelineFigures {
  const isSame = left.processors.every(({ name }, at) => right.processors[at]?.name === name);
  const processors = isSame
    ? left.processors.map((processor, at) => ({
        ...processor,
        ...add(processor, right.processors[at] ?? newCounter()),
      }))
    : right.processors;
  return {
    ...add(left, right),
    ingestedBytes: left.ingestedBytes + right.ingestedBytes,
    producedBytes: left.producedBytes + right.producedBytes,
    processors,
  };
}

function add(left: Figures, right: Figures): Figures {
  return {
    count: left.count + right.count,
    timeMs: left.timeMs + right.timeMs,
    current: left.current + right.current,
    failed: left.failed + right.failed,
  };
}
