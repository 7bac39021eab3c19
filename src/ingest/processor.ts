/**
 * The contract of processors: a type reads its properties once, when a pipeline is compiled, and gives a function that
 * changes documents. One file per type in `processors/`; `processors/table.ts` lists them all.
 *
 * - Whatever a definition may get wrong is refused by `create`, so that it is refused when the pipeline is stored.
 * - A run is synchronous and does nothing but change its document; it throws what the document is failed with. What it
 *   takes grows no faster than the document and the definition: no pattern, list or template makes it hang.
 */
import type { JsonValue } from '../base/json-value.js';
import type { Options } from './compile/options.js';
import type { IngestDocument } from './document/ingest-document.js';
import type { Step } from './pipeline.js';
import type { PipelineRun } from './run/pipeline-run.js';

export type RunProcessor = (document: IngestDocument, run: PipelineRun) => void;

/** What a type may ask for while it reads its properties. */
export interface CompileEnvironment {
  readonly distribution: 'elasticsearch' | 'opensearch';
  readonly scripts: ScriptCompiler;
  /** A processor within this one. */
  compileStep(definition: JsonValue): Step;
}

export type ScriptContext = 'ingest' | 'processor_conditional';

/** A script that was compiled; it may change `root`, and answers with its value. */
export type CompiledScript = (document: IngestDocument) => unknown;

export interface ScriptCompiler {
  /** Throws what is wrong with the script. */
  compile(script: JsonValue, context: ScriptContext): CompiledScript;
}

export interface ProcessorType {
  readonly type: string;
  create(options: Options, environment: CompileEnvironment): RunProcessor;
}

export function defineProcessor(type: string, create: ProcessorType['create']): ProcessorType {
  return { type, create };
}
