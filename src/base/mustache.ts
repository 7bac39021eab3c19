/**
 * Templates in the language mustache: `{{field}}`, `{{{field}}}`, sections. The package `mustache` reads them; they are
 * rendered here, because what they are rendered with is hostile: only own members of plain data are looked up, nothing of
 * it is called, and the text has a limit.
 */
import { illegalArgument, QuarryError } from './errors.js';
import { stringifyJson } from './json.js';
import { onDemand } from './on-demand.js';

const mustache = onDemand('mustache');

/** Characters of a rendered text. */
export const TEMPLATE_OUTPUT_LENGTH_MAX = 1024 * 1024;
/** Sections entered and parts looked at: sections over lists within each other multiply, though nothing may come of them. */
export const TEMPLATE_STEPS_MAX = 1_500_000;
/** Sections within sections. */
const SECTION_DEPTH_MAX = 100;

/** Where a template finds the value of a name without dots; undefined where there is none. */
export type TemplateScope = (name: string) => unknown;

export interface TemplateOptions {
  /** Applied to the values of `{{..}}`, not to those of `{{{..}}}` and `{{&..}}`; none where absent. */
  readonly escape?: (text: string) => string;
  /** The text of a value; `String` of scalars and JSON of all else where absent. */
  readonly print?: (value: unknown) => string;
  /** Sections that search templates have: `{{#toJson}}`, `{{#join}}`, `{{#url}}`. */
  readonly functions?: boolean;
}

export interface Template {
  /** Whether it is text alone, the same for every scope. */
  readonly isConstant: boolean;
  render(scope: TemplateScope): string;
}

/** Throws `illegal_argument_exception` for a template that is none. */
export function compileTemplate(source: string, options: TemplateOptions = {}): Template {
  const spans = parse(source);
  const isConstant = spans.every(([kind]) => kind === 'text');
  if (isConstant) {
    const text = spans.map(([, value]) => value).join('');
    return { isConstant, render: () => text };
  }
  return { isConstant, render: (scope) => new Rendering(source, options).render(spans, [scope]) };
}

/** Whether a text has anything that a template would replace. */
export function hasTemplate(text: string): boolean {
  return text.includes('{{');
}

/** As the package gives them: kind, name or text, start, end; of sections also what is inside, and where that ends. */
type Span = readonly [kind: string, value: string, start: number, end: number, inner?: unknown, innerEnd?: unknown];
type Spans = readonly Span[];
type Scopes = readonly unknown[];

function parse(source: string): Spans {
  // Templates come from users: nothing may keep them all.
  const writer = Object.assign(new (mustache().Writer)(), { templateCache: undefined });
  try {
    const spans = writer.parse(source) as unknown as Spans;
    checkDepth(spans, 0);
    return spans;
  } catch (error) {
    if (error instanceof QuarryError) throw error;
    throw illegalArgument(`Failed to compile template [${source}]: ${(error as Error).message}`);
  }
}

function checkDepth(spans: Spans, depth: number): void {
  if (depth > SECTION_DEPTH_MAX) throw illegalArgument(`a template has at most [${SECTION_DEPTH_MAX}] nested sections`);
  for (const span of spans) {
    if (span[0] === '>') throw illegalArgument(`Cannot find partial template [${span[1]}]`);
    checkDepth(innerSpans(span), depth + 1);
  }
}

function innerSpans(span: Span): Spans {
  const inner: unknown = span[4];
  return Array.isArray(inner) ? (inner as Spans) : [];
}

/** Half a character: URLs cannot hold it. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Text as `application/x-www-form-urlencoded` has it, by the rules of Java's `URLEncoder`. */
export function formEncoded(text: string): string {
  const encoded = encodeURIComponent(text.replace(LONE_SURROGATE, '?'));
  const hex = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encoded.replaceAll('%20', '+').replaceAll(/[!'()~]/g, hex);
}

class Rendering {
  readonly #source: string;
  readonly #options: TemplateOptions;
  #length = 0;
  #steps = 0;

  constructor(source: string, options: TemplateOptions) {
    this.#source = source;
    this.#options = options;
  }

  render(spans: Spans, scopes: Scopes): string {
    this.#took(Math.max(1, spans.length));
    return spans.map((span) => this.#span(span, scopes)).join('');
  }

  #span(span: Span, scopes: Scopes): string {
    switch (span[0]) {
      case 'text':
        return this.#counted(span[1]);
      case 'name':
        return this.#counted((this.#options.escape ?? unchanged)(this.#printed(lookup(span[1], scopes))));
      case '&':
        return this.#counted(this.#printed(lookup(span[1], scopes)));
      case '#':
        return this.#section(span, scopes);
      case '^':
        return isEmpty(lookup(span[1], scopes)) ? this.render(innerSpans(span), scopes) : '';
      default:
        return '';
    }
  }

  #section(span: Span, scopes: Scopes): string {
    if (this.#options.functions === true) {
      const result = this.#call(span, scopes);
      if (result !== undefined) return this.#counted(result);
    }
    const value = lookup(span[1], scopes);
    if (isEmpty(value)) return '';
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    return items.map((item) => this.render(innerSpans(span), [...scopes, item])).join('');
  }

  /** Undefined for a section that is no function. */
  #call(span: Span, scopes: Scopes): string | undefined {
    const name = span[1];
    const text = (): string => this.#source.slice(span[3], Number(span[5])).trim();
    if (name === 'url') return formEncoded(this.render(innerSpans(span), scopes));
    if (name === 'toJson') {
      const value = lookup(text(), scopes);
      return value === undefined ? '' : stringifyJson(value);
    }
    const join = /^join(?:\s+delimiter='([^']*)')?$/.exec(name);
    if (join === null) return undefined;
    const value = lookup(text(), scopes);
    return Array.isArray(value) ? value.map((item) => this.#printed(item)).join(join[1] ?? ',') : this.#printed(value);
  }

  #took(steps: number): void {
    this.#steps += steps;
    if (this.#steps > TEMPLATE_STEPS_MAX) {
      throw illegalArgument(`a template takes at most [${TEMPLATE_STEPS_MAX}] steps to render`);
    }
  }

  #printed(value: unknown): string {
    if (value === undefined || value === null) return '';
    return (this.#options.print ?? plainText)(value);
  }

  #counted(text: string): string {
    this.#length += text.length;
    if (this.#length > TEMPLATE_OUTPUT_LENGTH_MAX) {
      throw illegalArgument(`Mustache script result size limit exceeded: [${TEMPLATE_OUTPUT_LENGTH_MAX}] characters`);
    }
    return text;
  }
}

function unchanged(text: string): string {
  return text;
}

function plainText(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}

/** `a.b.0`: the first part in the innermost scope that has it, the others in what is found. */
function lookup(path: string, scopes: Scopes): unknown {
  if (path === '.') {
    const innermost = scopes.at(-1);
    // The outermost is a function to look up with, no value.
    return typeof innermost === 'function' ? undefined : innermost;
  }
  const [first = '', ...rest] = path.split('.');
  let value: unknown;
  for (let at = scopes.length - 1; at >= 0 && value === undefined; at--) value = memberOf(scopes[at], first);
  for (const name of rest) value = memberOf(value, name);
  return value;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value === 'function') return (value as TemplateScope)(name);
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value) && name === 'size') return value.length;
  return Object.hasOwn(value, name) && name !== 'length' ? (value as Record<string, unknown>)[name] : undefined;
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === false ||
    value === '' ||
    (Array.isArray(value) && value.length === 0)
  );
}
