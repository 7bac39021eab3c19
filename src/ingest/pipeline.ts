/** A pipeline that is ready to run. */
import type { CompiledScript, RunProcessor } from './processor.js';

export interface Pipeline {
  readonly id: string;
  readonly steps: readonly Step[];
  /** Run in place of what is left of the pipeline when a step fails. */
  readonly onFailure: readonly Step[];
}

/** A processor with what surrounds it. */
export interface Step {
  readonly type: string;
  readonly tag: string | undefined;
  readonly description: string | undefined;
  /** As written. */
  readonly condition: string | undefined;
  readonly holds: CompiledScript | undefined;
  readonly ignoreFailure: boolean;
  readonly onFailure: readonly Step[];
  readonly run: RunProcessor;
  /** The name of the pipeline that a step of the type `pipeline` calls, as written. */
  readonly calls: string | undefined;
}
