/** The `runtime` section of a mapping, and `runtime_mappings` of a request. */
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json-value.js';
import { checkDateFormat } from './date-format.js';
import { lookupSpec, readLookup, renderLookup } from './lookup-fields.js';
import {
  isFieldType,
  type FieldType,
  type RuntimeField,
  type RuntimeScript,
  type RuntimeSpec,
  type ScriptCheck,
} from './types.js';
import { entriesOf, mapperParsing, readString, show } from './values.js';

const RUNTIME_TYPES: readonly FieldType[] = ['boolean', 'date', 'double', 'geo_point', 'ip', 'keyword', 'long'];

/** Whether documents are indexed with the field: nothing else gives it values. */
export function isIndexedRuntime({ script, lookup }: RuntimeField): boolean {
  return script === undefined && lookup === undefined;
}

/** Whether searches compute or look up a field of this full name, or documents are indexed with it; a composite is none itself. */
export function isRuntimeField(runtime: ReadonlyMap<string, RuntimeField>, path: string): boolean {
  const own = runtime.get(path);
  if (own !== undefined && own.fields === undefined) return true;
  return [...runtime].some(
    ([name, { fields }]) =>
      fields !== undefined && path.startsWith(`${name}.`) && fields.has(path.slice(name.length + 1)),
  );
}

/** Of a request: nothing can be taken out of it. */
export function readRuntime(value: JsonValue): ReadonlyMap<string, RuntimeField> {
  const { fields, removed } = readRuntimeUpdate(value);
  const [name] = removed;
  if (name === undefined) return fields;
  throw mapperParsing(`Runtime field [${name}] was set to null but its removal is not supported in this context`);
}

/** What an update of a mapping says of its runtime fields; null takes one out. */
export function readRuntimeUpdate(value: JsonValue): {
  readonly fields: ReadonlyMap<string, RuntimeField>;
  readonly removed: readonly string[];
} {
  if (!isJsonObject(value)) throw mapperParsing('[runtime] must be a map type');
  const entries = entriesOf(value);
  const kept = entries.filter(([, definition]) => definition !== null);
  return {
    fields: new Map(kept.map(([name, definition]) => [name, readRuntimeField(name, definition)])),
    removed: entries.filter(([, definition]) => definition === null).map(([name]) => name),
  };
}

/** One definition of `runtime`. */
export function readRuntimeField(name: string, definition: JsonValue): RuntimeField {
  if (!isJsonObject(definition)) {
    throw mapperParsing(`Expected map for runtime field [${name}] definition but got [${show(definition)}]`);
  }
  const { script, ...others } = definition;
  if (others['type'] === 'lookup') {
    const { type: _type, ...parameters } = definition;
    return { lookup: readLookup(name, parameters) };
  }
  if (others['type'] === 'composite') return readComposite(name, script, others);
  const field = readTyped(name, others);
  return script === undefined ? field : { ...field, script: readScript(name, script) };
}

function readTyped(name: string, definition: JsonObject): { readonly type: FieldType; readonly format?: string } {
  const { type, format, ...rest } = definition;
  if (type === undefined) throw mapperParsing(`No type specified for runtime field [${name}]`);
  const typeName = readString(type);
  if (!isFieldType(typeName) || !RUNTIME_TYPES.includes(typeName)) {
    throw mapperParsing(`No handler for type [${typeName}] declared on runtime field [${name}]`);
  }
  const unknown = format !== undefined && typeName !== 'date' ? 'format' : Object.keys(rest)[0];
  if (unknown !== undefined) {
    throw mapperParsing(`unknown parameter [${unknown}] on runtime field [${name}] of type [${typeName}]`);
  }
  if (format === undefined) return { type: typeName };
  const pattern = readString(format);
  checkDateFormat(pattern);
  return { type: typeName, format: pattern };
}

function readComposite(name: string, script: JsonValue | undefined, definition: JsonObject): RuntimeField {
  const { type: _type, fields, ...rest } = definition;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    throw mapperParsing(`unknown parameter [${unknown}] on runtime field [${name}] of type [composite]`);
  }
  if (script === undefined) throw mapperParsing(`composite runtime field [${name}] must specify a [script]`);
  if (!isJsonObject(fields) || Object.keys(fields).length === 0) {
    throw mapperParsing(`composite runtime field [${name}] must declare its [fields]`);
  }
  const parts = entriesOf(fields).map(([part, body]) => {
    if (!isJsonObject(body))
      throw mapperParsing(`Expected map for runtime field [${name}.${part}] but got [${show(body)}]`);
    if (body['type'] === 'lookup')
      throw mapperParsing(`runtime field [${name}.${part}] of type [lookup] cannot be part of a composite field`);
    return [part, readTyped(`${name}.${part}`, body)] as const;
  });
  return { script: readScript(name, script), fields: new Map(parts) };
}

function readScript(name: string, value: JsonValue): RuntimeScript {
  if (typeof value === 'string') return { source: value };
  if (!isJsonObject(value)) throw mapperParsing(`[script] of runtime field [${name}] must be an object or a string`);
  const { source, lang, params, ...rest } = value;
  if (rest['id'] !== undefined)
    throw mapperParsing('stored scripts are not supported for runtime field [' + name + ']');
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw mapperParsing(`[script] of runtime field [${name}] has an unknown field [${unknown}]`);
  if (typeof source !== 'string') throw mapperParsing(`[script] of runtime field [${name}] must have a [source]`);
  if (lang !== undefined && lang !== 'painless') {
    throw mapperParsing(`runtime field [${name}] does not support scripts of the language [${show(lang)}]`);
  }
  if (params !== undefined && !isJsonObject(params))
    throw mapperParsing(`[params] of runtime field [${name}] must be an object`);
  return { source, ...(lang === undefined ? {} : { lang }), ...(params === undefined ? {} : { params }) };
}

/** Throws why the script of one of the fields does not run. */
export function checkRuntimeScripts(fields: ReadonlyMap<string, RuntimeField>, check: ScriptCheck): void {
  for (const { type, script } of fields.values()) {
    if (script !== undefined) check(script, contextOf(type));
  }
}

/** Where the script of a field of this type runs; one without a type is a composite. */
function contextOf(type: FieldType | undefined): string {
  return `${type ?? 'composite'}_field`;
}

/** What searches compute or look up: the field itself, or the parts of a composite. */
export function compileRuntime(name: string, field: RuntimeField): readonly RuntimeSpec[] {
  const { type, format, script, fields, lookup } = field;
  if (lookup !== undefined) return [{ name, lookup: lookupSpec(lookup) }];
  const compiled = script && {
    source: script.source,
    ...(script.lang === undefined ? {} : { lang: script.lang }),
    ...(script.params === undefined ? {} : { params: JSON.stringify(script.params) }),
  };
  if (type !== undefined) {
    const given = compiled === undefined ? {} : { script: compiled, context: contextOf(type) };
    return [{ name, type, ...given, ...(format === undefined ? {} : { format }) }];
  }
  return [...(fields ?? [])].map(([part, of]) => ({
    name: `${name}.${part}`,
    ...of,
    part,
    context: contextOf(undefined),
    ...(compiled === undefined ? {} : { script: compiled }),
  }));
}

export function renderRuntimeField({ type, format, script, fields, lookup }: RuntimeField): JsonObject {
  if (lookup !== undefined) return renderLookup(lookup);
  return {
    type: type ?? 'composite',
    ...(format === undefined ? {} : { format }),
    ...(script === undefined
      ? {}
      : {
          script: {
            source: script.source,
            lang: script.lang ?? 'painless',
            ...(script.params === undefined ? {} : { params: script.params }),
          },
        }),
    ...(fields === undefined ? {} : { fields: Object.fromEntries([...fields].map(([part, of]) => [part, { ...of }])) }),
  };
}
