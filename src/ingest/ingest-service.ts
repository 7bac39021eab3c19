/** The pipelines of one thread: compiled when they are first needed, kept as long as their definitions are. */
import { asQuarryError } from '../base/error-wire.js';
import { QuarryError } from '../base/errors.js';
import type { Clock } from '../base/clock.js';
import type { JsonObject } from '../base/json-value.js';
import type { ClusterState, StoredPipeline } from '../cluster/state.js';
import { compilePipeline, type CompilerServices } from './compile/compile-pipeline.js';
import type { IngestDocument } from './document/ingest-document.js';
import type { Pipeline } from './pipeline.js';
import { PROCESSOR_TYPES } from './processors/table.js';
import type { ScriptCompiler } from './processor.js';
import { PipelineRun, type FindPipeline, type RunObserver } from './run/pipeline-run.js';
import { IngestStatistics } from './statistics.js';

export class IngestService {
  readonly statistics: IngestStatistics;
  readonly #services: CompilerServices;
  readonly #compiled = new WeakMap<StoredPipeline, Pipeline | QuarryError>();

  constructor(clock: Clock, distribution: CompilerServices['distribution'], scripts: ScriptCompiler) {
    this.statistics = new IngestStatistics(clock);
    this.#services = { types: PROCESSOR_TYPES, scripts, distribution };
  }

  /** Throws what is wrong with the definition. */
  compile(id: string, definition: JsonObject): Pipeline {
    return compilePipeline(id, definition, this.#services);
  }

  /** The pipelines of a state; asking for one that does not compile throws why. */
  pipelinesOf(state: ClusterState): FindPipeline {
    return (id) => {
      const stored = state.pipelines.get(id);
      return stored === undefined ? undefined : this.#compiledOf(id, stored);
    };
  }

  /** Throws what the document is failed with. */
  run(pipeline: Pipeline, document: IngestDocument, find: FindPipeline, observer: RunObserver = this.statistics): void {
    new PipelineRun(find, observer).pipeline(pipeline, document);
  }

  /** Statistics of pipelines that are gone go, too. */
  follow(state: ClusterState): void {
    this.statistics.keepOnly((id) => state.pipelines.has(id));
  }

  #compiledOf(id: string, stored: StoredPipeline): Pipeline {
    let compiled = this.#compiled.get(stored);
    if (compiled === undefined) {
      compiled = this.#tryCompile(id, stored);
      this.#compiled.set(stored, compiled);
    }
    if (compiled instanceof QuarryError) throw compiled;
    return compiled;
  }

  #tryCompile(id: string, stored: StoredPipeline): Pipeline | QuarryError {
    try {
      return this.compile(id, stored.definition);
    } catch (error) {
      const { type, message, details } = asQuarryError(error);
      return new QuarryError(type, `pipeline with id [${id}] could not be loaded, caused by [${message}]`, { details });
    }
  }
}
