/** Answers held against a published OpenAPI description: one file a namespace, which refer to files of schemas. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { parse } from 'yaml';

interface Namespace {
  readonly components?: { readonly responses?: Readonly<Record<string, object>> };
}

/** What an answer lacks or has otherwise, one line each; empty when it is as described. */
export type Differences = readonly string[];

export class PublishedShapes {
  private readonly ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false, allErrors: true });
  /** Where the schema of an operation's answer is. */
  private readonly references = new Map<string, string>();
  private readonly validators = new Map<string, ValidateFunction>();

  /** `directory` has the folders `namespaces` and `schemas`. */
  constructor(directory: string) {
    for (const folder of ['namespaces', 'schemas']) {
      for (const name of readdirSync(path.join(directory, folder))) {
        const file = path.join(directory, folder, name);
        const address = pathToFileURL(file).href;
        const description = parse(readFileSync(file, 'utf8')) as Namespace;
        this.ajv.addSchema(withoutMissingFiles(description, path.dirname(file)) as Namespace, address);
        if (folder === 'namespaces') this.noteResponses(address, description);
      }
    }
  }

  private noteResponses(address: string, { components }: Namespace): void {
    for (const name of Object.keys(components?.responses ?? {})) {
      const pointer = `/components/responses/${name}/content/application~1json/schema`;
      this.references.set(name.replace(/@200$/, ''), `${address}#${pointer}`);
    }
  }

  /** `operation`: as the description groups them, such as `nodes.info`. */
  differences(operation: string, answer: unknown): Differences {
    const validate = this.validatorOf(operation);
    if (validate(answer)) return [];
    return [...new Set((validate.errors ?? []).filter(isLeaf).map(describe))].sort();
  }

  private validatorOf(operation: string): ValidateFunction {
    const known = this.validators.get(operation);
    if (known !== undefined) return known;
    const $ref = this.references.get(operation);
    if ($ref === undefined) throw new Error(`no answer of [${operation}] is described`);
    const made = this.ajv.compile({ $ref });
    this.validators.set(operation, made);
    return made;
  }
}

/** Where a description refers to a file that is not there, anything will do. */
function withoutMissingFiles(part: unknown, directory: string): unknown {
  if (Array.isArray(part)) return part.map((each) => withoutMissingFiles(each, directory));
  if (typeof part !== 'object' || part === null) return part;
  const { $ref } = part as { readonly $ref?: unknown };
  const [file = ''] = typeof $ref === 'string' ? $ref.split('#') : [];
  if (file !== '' && !existsSync(path.join(directory, file))) return {};
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, withoutMissingFiles(value, directory)]));
}

/** The others only say that something below them failed. */
function isLeaf({ keyword }: ErrorObject): boolean {
  return !['oneOf', 'anyOf', 'allOf', 'if', '$ref'].includes(keyword);
}

function describe({ instancePath, message = '', params }: ErrorObject): string {
  const allowed: unknown = params['allowedValues'] ?? params['additionalProperty'] ?? params['unevaluatedProperty'];
  return `${instancePath}: ${message}${allowed === undefined ? '' : ` (${JSON.stringify(allowed)})`}`;
}
