/** Requests of the soak: with a user, and with the answer that is expected. */
import type { Json, JsonObject } from '../json.js';

export interface Answer {
  readonly status: number;
  readonly body: Json;
}

/** The header `Authorization` of a user. */
export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

const SHOWN_CHARACTERS = 500;

export class Client {
  readonly url: string;
  /** Of the header `Authorization`; empty: none. */
  readonly credentials: string;

  constructor(url: string, credentials: string) {
    this.url = url;
    this.credentials = credentials;
  }

  as(credentials: string): Client {
    return new Client(this.url, credentials);
  }

  /** Any answer; a text is lines of JSON. */
  async ask(method: string, path: string, body?: string | JsonObject): Promise<Answer> {
    const isText = typeof body === 'string';
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(this.credentials === '' ? {} : { authorization: this.credentials }),
        ...(body === undefined ? {} : { 'content-type': isText ? 'application/x-ndjson' : 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: text.startsWith('{') || text.startsWith('[') ? (JSON.parse(text) as Json) : text,
    };
  }

  /** The body of an answer with this status; throws where it has another. */
  async expect(status: number, method: string, path: string, body?: string | JsonObject): Promise<Json> {
    const answer = await this.ask(method, path, body);
    if (answer.status === status) return answer.body;
    const shown = JSON.stringify(answer.body).slice(0, SHOWN_CHARACTERS);
    const said = body === undefined ? '' : ` ${JSON.stringify(body).slice(0, SHOWN_CHARACTERS)}`;
    throw new Error(`${method} ${path}${said}: ${answer.status} instead of ${status}: ${shown}`);
  }

  post(path: string, body?: string | JsonObject): Promise<Json> {
    return this.expect(200, 'POST', path, body);
  }
}

/** Throws where an answer is not what the documents are. */
export function same(what: string, found: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(found), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${what}: ${left} instead of ${right}`.slice(0, 4 * SHOWN_CHARACTERS));
}
