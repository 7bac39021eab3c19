/** What a processor failed with, and which one it was: what `on_failure` is told. */
import { asQuarryError } from '../../base/error-wire.js';
import type { QuarryError } from '../../base/errors.js';
import type { Step } from '../pipeline.js';

export class IngestFailure extends Error {
  readonly error: QuarryError;
  readonly step: Step;
  readonly pipeline: string;

  constructor(error: QuarryError, step: Step, pipeline: string) {
    super(error.message);
    this.name = 'IngestFailure';
    this.error = error;
    this.step = step;
    this.pipeline = pipeline;
  }
}

/** The failure of the innermost processor is kept. */
export function asFailure(thrown: unknown, step: Step, pipeline: string): IngestFailure {
  return thrown instanceof IngestFailure ? thrown : new IngestFailure(asQuarryError(thrown), step, pipeline);
}

/** What the document is failed with. */
export function errorOf(thrown: unknown): QuarryError {
  return thrown instanceof IngestFailure ? thrown.error : asQuarryError(thrown);
}
