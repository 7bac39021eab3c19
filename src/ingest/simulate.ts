/** Runs of a pipeline whose documents go nowhere: what `_simulate` shows, step by step where that is asked for. */
import type { QuarryError } from '../base/errors.js';
import { IngestDocument } from './document/ingest-document.js';
import type { IngestService } from './ingest-service.js';
import type { Pipeline, Step } from './pipeline.js';
import { errorOf } from './run/ingest-failure.js';
import type { FindPipeline, RunObserver, StepOutcome } from './run/pipeline-run.js';

export interface SimulatedStep {
  readonly step: Step;
  readonly outcome: StepOutcome;
  /** As it was behind the step; absent where there is none to show. */
  readonly document?: IngestDocument;
}

export type Simulated =
  | { readonly document: IngestDocument }
  | { readonly dropped: true }
  | { readonly error: QuarryError }
  | { readonly steps: readonly SimulatedStep[] };

const UNCOUNTED: RunObserver = {
  pipelineStarted: () => 0,
  pipelineEnded: () => undefined,
  stepStarted: () => 0,
  stepEnded: () => undefined,
};

/** Steps that one document may show. */
const STEPS_MAX = 10_000;

export function simulate(
  service: IngestService,
  pipeline: Pipeline,
  document: IngestDocument,
  find: FindPipeline,
  isVerbose: boolean,
): Simulated {
  const steps: SimulatedStep[] = [];
  const observer = isVerbose ? { ...UNCOUNTED, stepDone: recorder(steps) } : UNCOUNTED;
  try {
    service.run(pipeline, document, find, observer);
  } catch (error) {
    if (!isVerbose || !(error instanceof Error)) return { error: errorOf(error) };
    if (steps.length === 0) return { error: errorOf(error) };
  }
  if (isVerbose) return { steps };
  return document.isDropped ? { dropped: true } : { document };
}

function recorder(steps: SimulatedStep[]): NonNullable<RunObserver['stepDone']> {
  // All copies of one document together have the bounds of one.
  const copies = new IngestDocument({}, {});
  let isFull = false;
  return (step, outcome, document) => {
    if (steps.length >= STEPS_MAX) return;
    const shown = !isFull && (outcome.kind === 'success' || outcome.kind === 'error_ignored');
    const copy = shown ? snapshot(copies, document) : undefined;
    isFull ||= shown && copy === undefined;
    steps.push({ step, outcome, ...(copy === undefined ? {} : { document: copy }) });
  };
}

/** Undefined when there are too many of them. */
function snapshot(copies: IngestDocument, document: IngestDocument): IngestDocument | undefined {
  try {
    return copies.snapshotOf(document);
  } catch {
    return undefined;
  }
}
