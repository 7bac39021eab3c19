import { describe, expect, test } from 'vitest';
import { parseJson } from '../../src/base/json.js';
import type { JsonObject, JsonValue } from '../../src/base/json-value.js';
import { Place } from '../../src/search/body/place.js';
import { readTemplateRequest, renderTemplate, type TemplateParams } from '../../src/search/request/search-template.js';

function render(source: string, params: TemplateParams, options?: Readonly<Record<string, string>>): string {
  return renderTemplate({ source, ...(options === undefined ? {} : { options }) }, params);
}

describe('renderTemplate', () => {
  test('writes values so that they cannot end the string that they stand in', () => {
    expect(render('{"q":"{{text}}"}', { text: 'a "b" \\ \n' })).toBe('{"q":"a \\"b\\" \\\\ \\n"}');
    expect(render('{"q":{{{raw}}}}', { raw: '{"a":1}' })).toBe('{"q":{"a":1}}');
  });

  test.each<[string, TemplateParams, string]>([
    ['{{a.b.c}}', { a: { b: { c: 7 } } }, '7'],
    ['{{list.1}}-{{list.size}}', { list: ['x', 'y'] }, 'y-2'],
    ['{{size}}{{^size}}10{{/size}}', {}, '10'],
    ['{{size}}{{^size}}10{{/size}}', { size: 3 }, '3'],
    ['{{#on}}yes{{/on}}{{^on}}no{{/on}}', { on: false }, 'no'],
    ['{{#items}}[{{name}}]{{/items}}', { items: [{ name: 'a' }, { name: 'b' }] }, '[a][b]'],
    ['{{#toJson}}list{{/toJson}}', { list: ['a', { b: 1 }] }, '["a",{"b":1}]'],
    ['{{#join}}list{{/join}}', { list: ['a', 'b'] }, 'a,b'],
    ["{{#join delimiter=' or '}}list{{/join delimiter=' or '}}", { list: ['a', 'b'] }, 'a or b'],
    ['{{#url}}{{host}}/{{/url}}', { host: 'a b' }, 'a+b%2F'],
    ['{{constructor}}{{__proto__}}', {}, ''],
  ])('%s', (source, params, expected) => {
    expect(render(source, params)).toBe(expected);
  });

  test('escapes as the media type of a stored template says', () => {
    const params = { text: 'a"b c' };
    expect(render('{{text}}', params, { content_type: 'text/plain' })).toBe('a"b c');
    expect(render('{{text}}', params, { content_type: 'application/json; charset=UTF-8' })).toBe('a\\"b c');
    expect(() => render('{{text}}', params, { content_type: 'image/png' })).toThrow(
      'No encoder found for media type [image/png]',
    );
  });

  test('refuses what is no template, and one that grows without end', () => {
    expect(() => render('{{#open}}', {})).toThrow('Failed to compile template');
    const list = Array.from({ length: 2_000 }, (_, n) => n);
    expect(() => render('{{#list}}{{#list}}x{{/list}}{{/list}}', { list })).toThrow('result size limit');
  });
});

describe('readTemplateRequest', () => {
  const read = (value: JsonValue, id?: string): unknown =>
    readTemplateRequest(Place.ofValue(value), 'search_template', id);

  test('takes a template as text, as an object, or by the name of a stored one', () => {
    expect(read({ source: '{}', params: { a: 1 } })).toMatchObject({ template: { source: '{}' }, params: { a: 1 } });
    expect(read({ source: { size: '{{n}}' } })).toMatchObject({ template: { source: '{"size":"{{n}}"}' } });
    expect(read({ id: 'stored', explain: true })).toMatchObject({ template: { id: 'stored' }, explain: true });
    expect(read({}, 'stored')).toMatchObject({ template: { id: 'stored' } });
  });

  test('keeps the digits of integers', () => {
    const big = '9007199254740993';
    const text = `{"source":{"a":${big},"b":"{{#toJson}}n{{/toJson}}"},"params":{"n":[{"id":${big}},-${big},1.5],"f":400.0}}`;
    const body = { bytes: new TextEncoder().encode(text), object: () => parseJson(text) as JsonObject };
    const { template, params } = readTemplateRequest(Place.ofBody(body), 'search_template');
    expect(template).toEqual({ source: `{"a":${big},"b":"{{#toJson}}n{{/toJson}}"}` });
    expect(render('{{#toJson}}n{{/toJson}} {{n.0.id}} {{n.1}} {{#join}}n{{/join}} {{f}}', params)).toBe(
      `[{"id":${big}},-${big},1.5] ${big} -${big} {"id":${big}},-${big},1.5 400`,
    );
  });

  test.each<[JsonValue, string]>([
    [{}, "template is missing;2: template's script type is missing;"],
    [{ source: '' }, 'Validation Failed: 1: template is missing;'],
    [{ source: '{}', nope: 1 }, '[search_template] unknown field [nope]'],
    [{ source: '{}', params: [] }, '[search_template] failed to parse field [params]'],
    [[], 'Expected [START_OBJECT] but found [START_ARRAY]'],
  ])('refuses %j', (value, reason) => {
    expect(() => read(value)).toThrow(reason);
  });
});
