/** From the definition of a pipeline to one that runs. Whatever is wrong with it is told by processor and property. */
import { QuarryError } from '../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json-value.js';
import { typeName } from '../document/values.js';
import { PROCESSOR_DEPTH_MAX, PROCESSORS_MAX } from '../limits.js';
import type { Pipeline, Step } from '../pipeline.js';
import type { CompiledScript, CompileEnvironment, ProcessorType, ScriptCompiler } from '../processor.js';
import { configurationError, type Owner } from './configuration-error.js';
import { Options } from './options.js';

export interface CompilerServices {
  readonly types: ReadonlyMap<string, ProcessorType>;
  readonly scripts: ScriptCompiler;
  readonly distribution: 'elasticsearch' | 'opensearch';
}

export function compilePipeline(id: string, definition: JsonObject, services: CompilerServices): Pipeline {
  const options = new Options(definition, {});
  options.optionalText('description');
  options.optionalInteger('version');
  options.optionalObject('_meta');
  options.flag('deprecated');
  for (const kept of ['created_date', 'created_date_millis', 'modified_date', 'modified_date_millis'])
    options.take(kept);
  const compiler = new Compiler(services);
  const steps = compiler.steps(options.list('processors'), 0);
  const handlers = options.optionalList('on_failure');
  const onFailure = compiler.steps(handlers ?? [], 0);
  if (options.unread.length > 0) {
    const reason = `doesn't support one or more provided configuration parameters [${options.unread.join(', ')}]`;
    throw new QuarryError('parse_exception', `pipeline [${id}] ${reason}`);
  }
  if (handlers?.length === 0) {
    throw new QuarryError('parse_exception', `pipeline [${id}] cannot have an empty on_failure option defined`);
  }
  return { id, steps, onFailure };
}

class Compiler {
  readonly #services: CompilerServices;
  #count = 0;

  constructor(services: CompilerServices) {
    this.#services = services;
  }

  /** Tells everything that is wrong: the first in its own right, the others beside it. */
  steps(definitions: readonly JsonValue[], depth: number): readonly Step[] {
    const steps: Step[] = [];
    const problems: QuarryError[] = [];
    for (const definition of definitions) {
      try {
        steps.push(this.step(definition, depth));
      } catch (error) {
        if (!(error instanceof QuarryError)) throw error;
        problems.push(error);
      }
    }
    const [first, ...others] = problems;
    if (first === undefined) return steps;
    if (others.length === 0) throw first;
    const suppressed = others.map(({ type, message, details }) => ({ type, reason: message, ...details }));
    throw new QuarryError(first.type, first.message, {
      details: { ...first.details, suppressed },
      cause: first.cause,
      status: first.status,
    });
  }

  step(definition: JsonValue, depth: number): Step {
    if (depth > PROCESSOR_DEPTH_MAX || ++this.#count > PROCESSORS_MAX) {
      const limits = `at most [${PROCESSORS_MAX}] processors, nested at most [${PROCESSOR_DEPTH_MAX}] deep`;
      throw new QuarryError('parse_exception', `a pipeline has ${limits}`);
    }
    if (!isJsonObject(definition)) {
      throw configurationError({}, 'processors', `property isn't a map, but of type [${typeName(definition)}]`);
    }
    const [type, ...others] = Object.keys(definition);
    if (type === undefined || others.length > 0) {
      throw configurationError({}, undefined, 'a processor is defined by an object with one member, named by its type');
    }
    return this.#stepOf(type, definition[type] ?? null, depth);
  }

  #stepOf(type: string, value: JsonValue, depth: number): Step {
    const given = ownProperties(type, value);
    const tag = typeof given['tag'] === 'string' ? given['tag'] : undefined;
    const owner: Owner = { type, ...(tag === undefined ? {} : { tag }) };
    const known = this.#services.types.get(type);
    if (known === undefined) {
      throw configurationError(owner, undefined, `No processor type exists with name [${type}]`);
    }
    const options = new Options(given, owner);
    options.optionalText('tag');
    const description = options.optionalText('description');
    const ignoreFailure = options.flag('ignore_failure');
    const handlers = options.optionalList('on_failure');
    const onFailure = this.steps(handlers ?? [], depth + 1);
    if (handlers?.length === 0) throw configurationError(owner, 'on_failure', 'processors list cannot be empty');
    const condition = options.take('if');
    const holds = condition === undefined ? undefined : this.#condition(condition, owner);
    const calls = type === 'pipeline' && typeof given['name'] === 'string' ? given['name'] : undefined;
    const run = this.#create(known, options, depth);
    const text = condition === undefined ? undefined : conditionText(condition);
    return { type, tag, description, condition: text, holds, ignoreFailure, onFailure, run, calls };
  }

  #create(known: ProcessorType, options: Options, depth: number): Step['run'] {
    const environment: CompileEnvironment = {
      distribution: this.#services.distribution,
      scripts: this.#services.scripts,
      compileStep: (inner) => this.step(inner, depth + 1),
    };
    const run = located(options.owner, () => known.create(options, environment));
    if (options.unread.length === 0) return run;
    const reason = `doesn't support one or more provided configuration parameters [${options.unread.join(', ')}]`;
    throw new QuarryError('parse_exception', `processor [${known.type}] ${reason}`, {
      details: configurationError(options.owner, undefined, '').details,
    });
  }

  #condition(condition: JsonValue, owner: Owner): CompiledScript {
    return located(owner, () => this.#services.scripts.compile(condition, 'processor_conditional'));
  }
}

/** A text where an object is expected is its only property. */
function ownProperties(type: string, value: JsonValue): JsonObject {
  if (isJsonObject(value)) return value;
  if (type === 'script' && typeof value === 'string') return { source: value };
  throw configurationError({ type }, undefined, `property isn't a map, but of type [${typeName(value)}]`);
}

/** Says of every refusal which processor it is about. */
function located<T>(owner: Owner, create: () => T): T {
  try {
    return create();
  } catch (error) {
    if (!(error instanceof QuarryError) || Object.hasOwn(error.details, 'processor_type')) throw error;
    const { details } = configurationError(owner, undefined, '');
    throw new QuarryError(error.type, error.message, {
      details: { ...error.details, ...details },
      cause: error.cause,
      status: error.status,
    });
  }
}

function conditionText(condition: JsonValue): string {
  if (typeof condition === 'string') return condition;
  const source = isJsonObject(condition) ? (condition['source'] ?? condition['id']) : undefined;
  return typeof source === 'string' ? source : JSON.stringify(condition);
}
