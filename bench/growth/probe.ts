/** Requests of a size that can be chosen: what is found to take more than twice the time at twice the size grows too fast. */

export interface GrowingRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: string;
}

export interface Probe {
  readonly name: string;
  /** Of size `n`. `round` tells requests apart that must not be the same, such as names of what is made. */
  request(n: number, round: number): GrowingRequest;
  /** Sizes beyond are not asked for. */
  readonly most?: number;
  /** Taken away after each request. */
  made?(round: number): string;
}

/** The index of which all probes that search ask: see `growth.ts`. */
export const INDEX = 'grown';

export function list<Item>(n: number, item: (at: number) => Item): Item[] {
  return Array.from({ length: n }, (_, at) => item(at));
}

export function named<Value>(n: number, value: (at: number) => Value, name = 'p'): Record<string, Value> {
  return Object.fromEntries(list(n, (at) => [`${name}${at}`, value(at)]));
}

export function words(n: number, word = 'w'): string {
  return list(n, (at) => `${word}${at}`).join(' ');
}

export function json(
  name: string,
  method: GrowingRequest['method'],
  path: string,
  body: (n: number, round: number) => unknown,
  most?: number,
): Probe {
  return {
    name,
    request: (n, round) => ({ method, path, body: JSON.stringify(body(n, round)) }),
    ...(most === undefined ? {} : { most }),
  };
}

/** A search whose body is of that size. */
export function searching(name: string, body: (n: number) => unknown, most?: number): Probe {
  return json(name, 'POST', `/${INDEX}/_search?request_cache=false`, body, most);
}

/** A new index whose body is of that size. */
export function creating(name: string, body: (n: number) => unknown, most?: number): Probe {
  return {
    name,
    request: (n, round) => ({ method: 'PUT', path: `/made-${round}`, body: JSON.stringify(body(n)) }),
    made: (round) => `/made-${round}`,
    ...(most === undefined ? {} : { most }),
  };
}
