import { describe, expect, it } from 'vitest';
import { parse, query, refusalOr } from './helpers.js';

interface Body {
  readonly fields?: readonly { readonly field: string }[];
  readonly query?: unknown;
  readonly type?: string;
  readonly must?: readonly unknown[];
  readonly should?: readonly unknown[];
  readonly must_not?: readonly unknown[];
  readonly boost?: number;
}

/** A short form of a plan, in which words stand for what searches them. */
function brief(plan: unknown): string {
  const [name, body] = Object.entries(plan as Record<string, Body>)[0] ?? ['', {}];
  const fields = (body.fields ?? []).map(({ field }) => field).join(',');
  switch (name) {
    case 'multi_match': {
      const quote = body.type === 'phrase' ? '"' : '';
      return `${fields}:${quote}${body.query as string}${quote}`;
    }
    case 'any_field': {
      const { fuzzy } = body.query as { fuzzy?: { value: string } };
      return `${fields}:${fuzzy === undefined ? JSON.stringify(body.query) : `${fuzzy.value}~`}`;
    }
    case 'bool': {
      const signed = [
        ...(body.must ?? []).map((clause) => `+${brief(clause)}`),
        ...(body.should ?? []).map(brief),
        ...(body.must_not ?? []).map((clause) => `-${brief(clause)}`),
      ];
      return `(${signed.join(' ')})${body.boost === undefined ? '' : `^${body.boost}`}`;
    }
    default:
      return JSON.stringify(plan);
  }
}

const ofText = (text: string, more = {}) =>
  brief(query({ query_string: { query: text, default_field: 't', ...more } }));

describe('query_string', () => {
  it.each([
    ['a', 't:a'],
    ['a b', 't:a b'],
    ['a AND b', '(+t:a +t:b)'],
    ['a OR b', '(t:a t:b)'],
    ['a OR b AND c', '(+t:b +t:c t:a)'],
    ['a NOT b', '(t:a -t:b)'],
    ['+a -b c', '(+t:a t:c -t:b)'],
    ['!a', '(-t:a)'],
    ['"a b"~2', 't:"a b"'],
    ['f:a b', '(f:a t:b)'],
    ['f:(a AND b)^2', '(+(+f:a +f:b))^2'],
    ['a~1', 't:a~'],
    ['f\\:a', 't:f:a'],
    ['a*', 't:{"wildcard":{"field":"","value":"a*"}}'],
    ['/ab+/', 't:{"regexp":{"field":"","value":"ab+","is_normalized":true}}'],
    ['*:*', '{"match_all":{}}'],
    ['f:*', '{"exists":{"field":"f"}}'],
    ['_exists_:f', '{"exists":{"field":"f"}}'],
    [
      'n:[1 TO 5}',
      'n:{"range":{"field":"","from":{"value":"1","inclusive":true},"to":{"value":"5","inclusive":false}}}',
    ],
    ['n:>=3', 'n:{"range":{"field":"","from":{"value":"3","inclusive":true}}}'],
    ['', '{"match_none":{}}'],
  ])('%s', (text, expected) => {
    expect(ofText(text)).toBe(expected);
  });

  it('takes AND as the default operator', () => {
    expect(ofText('a -b c OR d', { default_operator: 'AND' })).toBe('(+t:a t:c t:d -t:b)');
  });

  it.each(['(a', 'a)', '"a', 'AND a', 'a^', 'n:[1 2]', 'a\\'])('refuses %s', (text) => {
    expect(query({ query_string: { query: text } })).toMatch(/^query_shard_exception: Failed to parse query/);
  });

  it('is what the parameter q means', () => {
    expect(parse({}, { q: 'a AND b', df: 't' }).query).toEqual(
      query({ query_string: { query: 'a AND b', default_field: 't' } }),
    );
    expect(refusalOr(() => parse({}, { q: 'a', default_operator: 'xor' }))).toMatch(/operator needs to be/);
  });
});

describe('simple_query_string', () => {
  const simple = (text: string, more = {}) =>
    brief(query({ simple_query_string: { query: text, fields: ['t'], ...more } }));

  it.each([
    ['a', 't:a'],
    ['a b', '(t:a t:b)'],
    ['a + b', '(+t:a +t:b)'],
    ['a | b + c', '(+(t:a t:b) +t:c)'],
    ['a + (b | c)', '(+t:a +(t:b t:c))'],
    ['-a', '({"match_all":{}} -t:a)'],
    ['"a b"~2', 't:"a b"'],
    ['a~1', 't:a~'],
    ['a*', 't:{"wildcard":{"field":"","value":"a*"}}'],
    ['a\\*', 't:a*'],
    ['(a', 't:a'],
    ['"a', 't:a'],
    ['*', '{"match_all":{}}'],
    ['', '{"match_none":{}}'],
  ])('%s', (text, expected) => {
    expect(simple(text)).toBe(expected);
  });

  it('takes parentheses beyond its depth as text', () => {
    expect(simple(`${'('.repeat(200)}a`)).toContain('t:a');
  });

  it('has operators that can be switched off', () => {
    expect(simple('a|b', { flags: 'AND' })).toBe('t:a|b');
    expect(query({ simple_query_string: { query: 'a', flags: 'XOR' } })).toMatch(/Unknown simple_query_string flag/);
  });
});
