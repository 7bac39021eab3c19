/** One document's way through one pipeline and those that it calls. */
import { QuarryError, illegalArgument } from '../../base/errors.js';
import type { IngestDocument } from '../document/ingest-document.js';
import type { IngestValue } from '../document/values.js';
import { PIPELINE_DEPTH_MAX, PROCESSOR_RUNS_MAX } from '../limits.js';
import type { Pipeline, Step } from '../pipeline.js';
import { asFailure, type IngestFailure } from './ingest-failure.js';

/** Sees what happens; may count it or write it down. */
export interface RunObserver {
  /** Gives what the end is told: when it was. */
  pipelineStarted(pipeline: Pipeline): number;
  pipelineEnded(pipeline: Pipeline, started: number, failed: boolean): void;
  /** Only of steps that are the pipeline's own. */
  stepStarted(pipeline: Pipeline, place: number): number;
  stepEnded(pipeline: Pipeline, place: number, started: number, result: StepResult): void;
  /** Of every step, those of `on_failure` included. */
  stepDone?(step: Step, outcome: StepOutcome, document: IngestDocument): void;
}

export type StepOutcome =
  | { readonly kind: 'success' | 'skipped' | 'dropped' | 'called'; readonly held?: boolean }
  | { readonly kind: 'error' | 'error_ignored'; readonly failure: IngestFailure; readonly held?: boolean };

/** A step that failed may have been ignored, or handled. */
export type StepResult = 'success' | 'skipped' | 'failed';

/** A pipeline by its id; undefined when there is none. */
export type FindPipeline = (id: string) => Pipeline | undefined;

const FAILURE_FIELDS = [
  'on_failure_message',
  'on_failure_processor_type',
  'on_failure_processor_tag',
  'on_failure_pipeline',
] as const;

export class PipelineRun {
  readonly #find: FindPipeline;
  readonly #observer: RunObserver;
  /** Those that are running, the outermost first. */
  readonly #running: Pipeline[] = [];
  #runs = 0;

  constructor(find: FindPipeline, observer: RunObserver) {
    this.#find = find;
    this.#observer = observer;
  }

  find(id: string): Pipeline | undefined {
    return this.#find(id);
  }

  /** Throws an {@link IngestFailure}, or what is wrong with the calls themselves. */
  pipeline(pipeline: Pipeline, document: IngestDocument): void {
    if (this.#running.some(({ id }) => id === pipeline.id)) {
      throw new QuarryError('illegal_state_exception', `Cycle detected for pipeline: ${pipeline.id}`);
    }
    if (this.#running.length >= PIPELINE_DEPTH_MAX) {
      const reason = `Too many nested pipelines. Cannot have more than ${PIPELINE_DEPTH_MAX} nested pipelines`;
      throw new QuarryError('illegal_state_exception', reason);
    }
    const before = document.ingest['pipeline'];
    document.ingest['pipeline'] = pipeline.id;
    this.#running.push(pipeline);
    const started = this.#observer.pipelineStarted(pipeline);
    let failed = true;
    try {
      this.#steps(pipeline, document);
      failed = false;
    } finally {
      this.#observer.pipelineEnded(pipeline, started, failed);
      this.#running.pop();
      if (before === undefined) delete document.ingest['pipeline'];
      else document.ingest['pipeline'] = before;
    }
  }

  /** One step with its condition and what happens when it fails. */
  step(step: Step, document: IngestDocument): StepResult {
    if (++this.#runs > PROCESSOR_RUNS_MAX) {
      throw illegalArgument(`pipelines may not run more than [${PROCESSOR_RUNS_MAX}] processors for one document`);
    }
    const held = this.#holds(step, document);
    if (held === false) {
      this.#observer.stepDone?.(step, { kind: 'skipped', held }, document);
      return 'skipped';
    }
    const told = held === undefined ? {} : { held };
    try {
      if (step.calls !== undefined) this.#observer.stepDone?.(step, { kind: 'called', ...told }, document);
      step.run(document, this);
      if (step.calls === undefined) {
        this.#observer.stepDone?.(step, { kind: document.isDropped ? 'dropped' : 'success', ...told }, document);
      }
      return 'success';
    } catch (thrown) {
      const failure = asFailure(thrown, step, this.#current());
      const kind = step.ignoreFailure ? 'error_ignored' : 'error';
      // What failed within a pipeline that was called has been told.
      if (failure.step === step) this.#observer.stepDone?.(step, { kind, failure, ...told }, document);
      if (step.ignoreFailure) return 'failed';
      if (step.onFailure.length === 0) throw failure;
      this.#handle(step.onFailure, failure, document);
      return 'failed';
    }
  }

  #steps(pipeline: Pipeline, document: IngestDocument): void {
    const observer = this.#observer;
    try {
      for (let place = 0; place < pipeline.steps.length && !document.isOver; place++) {
        const step = pipeline.steps[place];
        if (step === undefined) return;
        let result: StepResult = 'failed';
        const started = observer.stepStarted(pipeline, place);
        try {
          result = this.step(step, document);
        } finally {
          observer.stepEnded(pipeline, place, started, result);
        }
      }
    } catch (thrown) {
      const last = pipeline.steps[0];
      if (pipeline.onFailure.length === 0 || last === undefined) throw thrown;
      this.#handle(pipeline.onFailure, asFailure(thrown, last, pipeline.id), document);
    }
  }

  #holds(step: Step, document: IngestDocument): boolean | undefined {
    if (step.holds === undefined) return undefined;
    try {
      return step.holds(document) === true;
    } catch (thrown) {
      throw asFailure(thrown, step, this.#current());
    }
  }

  #current(): string {
    return this.#running.at(-1)?.id ?? '';
  }

  /** Tells the handlers in `_ingest` what happened. */
  #handle(steps: readonly Step[], failure: IngestFailure, document: IngestDocument): void {
    const told: readonly IngestValue[] = [
      failure.error.message,
      failure.step.type,
      failure.step.tag ?? null,
      failure.pipeline,
    ];
    const before = FAILURE_FIELDS.map((name) => document.ingest[name]);
    FAILURE_FIELDS.forEach((name, at) => {
      document.ingest[name] = told[at] ?? null;
    });
    try {
      for (const step of steps) {
        if (document.isOver) return;
        this.step(step, document);
      }
    } finally {
      FAILURE_FIELDS.forEach((name, at) => {
        const value = before[at];
        if (value === undefined) Reflect.deleteProperty(document.ingest, name);
        else document.ingest[name] = value;
      });
    }
  }
}
