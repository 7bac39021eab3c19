/** Texts and values of definitions that name fields: `{{field}}`. Rendered with source, metadata and `_ingest`. */
import { compileTemplate, hasTemplate, type TemplateScope } from '../base/mustache.js';
import { isJsonObject, type JsonValue } from '../base/json-value.js';
import type { Options } from './compile/options.js';
import type { IngestDocument } from './document/ingest-document.js';
import { fromJson, memberOf, printValue, putMember, type IngestObject, type IngestValue } from './document/values.js';

export type TextTemplate = (document: IngestDocument) => string;
export type ValueTemplate = (document: IngestDocument) => IngestValue;

const OPTIONS = { print: (value: unknown): string => printValue(value as IngestValue) };

export function textTemplate(text: string): TextTemplate {
  if (!hasTemplate(text)) return () => text;
  const template = compileTemplate(text, OPTIONS);
  return (document) => template.render(scopeOf(document));
}

/** A required property. */
export function templateOption(options: Options, name: string): TextTemplate {
  return textTemplate(options.text(name));
}

/** Every text within the value is a template; each run gets a value of its own. */
export function valueTemplate(value: JsonValue): ValueTemplate {
  if (typeof value === 'string') return textTemplate(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => valueTemplate(item as JsonValue));
    return (document) => items.map((item) => item(document));
  }
  if (!isJsonObject(value)) return () => fromJson(value);
  const members = Object.entries(value).map(
    ([name, member]) => [textTemplate(name), valueTemplate(member ?? null)] as const,
  );
  return (document) => {
    const object: IngestObject = {};
    for (const [name, member] of members) putMember(object, name(document), member(document));
    return object;
  };
}

function scopeOf(document: IngestDocument): TemplateScope {
  return (name) => {
    if (name === '_ingest') return document.ingest;
    if (name === '_source') return document.root;
    return memberOf(document.root, name);
  };
}
