/** YAML to JSON text: integers keep all their digits, floating-point numbers stay such, aliases stand for what they name. */
import { QuarryError } from '../base/errors.js';
import { JSON_DEPTH_MAX } from '../base/limits.js';
import { writeFloat } from './exact-number.js';
import type { Node, Scalar } from 'yaml';

/** Aliases that a body may use: a few that name one another stand for more than any memory holds. */
const ALIASES_MAX = 100;
/** Characters of JSON that all of them may stand for. */
const EXPANDED_CHARACTERS_MAX = 16 * 1024 * 1024;

export async function yamlToJson(text: string): Promise<string> {
  const yaml = await import('yaml');
  // Whether names come twice is seen when they are written: the library would compare each with each.
  const document = yaml.parseDocument(text, { uniqueKeys: false, intAsBigInt: true, prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) refuse(error.message);
  const writer = new YamlWriter(yaml);
  writer.node(document.contents, 0);
  return writer.parts.join('');
}

class YamlWriter {
  readonly parts: string[] = [];
  readonly #yaml: typeof import('yaml');
  readonly #anchors = new Map<string, Node>();
  #aliases = 0;
  #expanded = 0;
  /** Within what an alias stands for: its anchors are those of another place. */
  #expanding = 0;

  constructor(yaml: typeof import('yaml')) {
    this.#yaml = yaml;
  }

  node(node: unknown, depth: number): void {
    const { isAlias, isMap, isNode, isScalar, isSeq } = this.#yaml;
    if (depth > JSON_DEPTH_MAX) refuse(`nesting depth (${depth}) exceeds the maximum allowed (${JSON_DEPTH_MAX})`);
    if (!isNode(node)) {
      this.#write('null');
      return;
    }
    if (isAlias(node)) {
      this.#alias(node.source, depth);
      return;
    }
    if (isScalar(node)) this.#write(this.#scalar(node));
    if (isSeq(node)) this.#list(node.items, depth);
    if (isMap(node)) this.#members(node.items, depth);
    // Only now: a node that names itself never ends.
    const { anchor } = node as Scalar;
    if (anchor !== undefined && this.#expanding === 0) this.#anchors.set(anchor, node);
  }

  #write(...texts: readonly string[]): void {
    this.parts.push(...texts);
    if (this.#expanding === 0) return;
    for (const text of texts) this.#expanded += text.length;
    if (this.#expanded > EXPANDED_CHARACTERS_MAX) refuse('its aliases stand for too much');
  }

  #alias(name: string, depth: number): void {
    const target = this.#anchors.get(name);
    if (target === undefined) refuse(`alias [${name}] names nothing that is complete before it`);
    if (++this.#aliases > ALIASES_MAX) refuse(`more than ${ALIASES_MAX} aliases are not allowed`);
    this.#expanding++;
    this.node(target, depth);
    this.#expanding--;
  }

  #list(items: readonly unknown[], depth: number): void {
    this.#write('[');
    for (const [at, item] of items.entries()) {
      if (at > 0) this.#write(',');
      this.node(item, depth + 1);
    }
    this.#write(']');
  }

  #members(members: readonly { readonly key: unknown; readonly value: unknown }[], depth: number): void {
    this.#write('{');
    const names = new Set<string>();
    for (const [at, { key, value }] of members.entries()) {
      if (at > 0) this.#write(',');
      if (!this.#yaml.isScalar(key)) refuse('the name of a field must be a text');
      const name = key.source ?? String(key.value);
      if (names.has(name)) refuse(`Duplicate field '${name}' (character ${key.range?.[0] ?? 0})`);
      names.add(name);
      this.#write(JSON.stringify(name), ':');
      this.node(value, depth + 1);
    }
    this.#write('}');
  }

  #scalar({ value }: Scalar): string {
    if (typeof value === 'bigint') return String(value);
    if (typeof value === 'number') return writeFloat(value);
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) return JSON.stringify(value);
    return refuse(`a value of the kind [${typeof value}] is not supported`);
  }
}

function refuse(why: string): never {
  throw new QuarryError('x_content_parse_exception', `the body is not valid YAML: ${why}`);
}
