import { describe, expect, it } from 'vitest';
import { compileTemplate, hasTemplate, TEMPLATE_OUTPUT_LENGTH_MAX } from '../../src/base/mustache.js';

function scopeOf(members: Record<string, unknown>): (name: string) => unknown {
  return (name) => (Object.hasOwn(members, name) ? members[name] : undefined);
}

function render(template: string, members: Record<string, unknown>, options = {}): string {
  return compileTemplate(template, options).render(scopeOf(members));
}

describe('mustache templates', () => {
  it('replace names by values, also inside objects and lists', () => {
    expect(render('{{a}}-{{b.c}}-{{l.1.x}}-{{none}}', { a: 1, b: { c: 'two' }, l: [{ x: 0 }, { x: 3 }] })).toBe(
      '1-two-3-',
    );
  });

  it('escape what has two braces only', () => {
    const escape = (text: string): string => text.replaceAll('"', '\\"');
    expect(render('{{a}} {{{a}}} {{&a}}', { a: '"' }, { escape })).toBe('\\" " "');
  });

  it('repeat sections for lists and leave them out for what is empty', () => {
    const members = { list: ['a', 'b'], flag: false, object: { name: 'n' } };
    expect(
      render(
        '{{#list}}<{{.}}>{{/list}}{{#flag}}no{{/flag}}{{^flag}}yes{{/flag}}{{#object}}{{name}}{{/object}}',
        members,
      ),
    ).toBe('<a><b>yesn');
  });

  it('offer the functions of search templates where they are asked for', () => {
    const members = { list: ['a', 'b'], text: 'x y' };
    const options = { functions: true };
    expect(render('{{#toJson}}list{{/toJson}}', members, options)).toBe('["a","b"]');
    expect(render("{{#join delimiter='|'}}list{{/join delimiter='|'}}", members, options)).toBe('a|b');
    expect(render('{{#join}}list{{/join}}', members, options)).toBe('a,b');
    expect(render('{{#url}}{{text}}{{/url}}', members, options)).toBe('x+y');
  });

  it('never look at or call what was not put there', () => {
    const members = { text: 'x', list: [1], object: {} };
    expect(
      render('{{text.length}}{{object.constructor}}{{list.map}}{{object.__proto__}}{{constructor}}', members),
    ).toBe('');
  });

  it('are refused where they are no templates', () => {
    for (const [template, why] of [
      ['{{a', /Unclosed tag/],
      ['{{#a}}', /Unclosed section/],
      ['{{> part}}', /partial/],
      ['{{#a}}'.repeat(200) + '{{/a}}'.repeat(200), /nested sections/],
    ] as const) {
      expect(() => compileTemplate(template)).toThrow(why);
    }
  });

  it('stop when their text becomes too long', () => {
    const members = { list: new Array(2_000).fill('x'), text: 'y'.repeat(TEMPLATE_OUTPUT_LENGTH_MAX / 1_000) };
    expect(() => render('{{#list}}{{text}}{{/list}}', members)).toThrow(/size limit exceeded/);
  });

  it('stop when sections multiply, though they print nothing', () => {
    const depth = 8;
    const members = { a: new Array(100).fill(1), deep: Array.from({ length: 101 }, () => ({})) };
    expect(() => render('{{#a}}'.repeat(depth) + '{{/a}}'.repeat(depth), members)).toThrow(/at most \[1500000\] steps/);
    expect(() => render('{{#a}}{{#deep}}{{#a}}{{#a}}{{/a}}{{/a}}{{/deep}}{{/a}}', members)).toThrow(/steps/);
    expect(() => render('{{#a}}{{#a}}{{#a}}{{^a}}{{/a}}{{^a}}{{/a}}{{/a}}{{/a}}{{/a}}', members)).toThrow(/steps/);
    expect(render('{{#a}}{{#a}}.{{/a}}{{/a}}', members)).toHaveLength(10_000);
  });

  it('print nothing of the whole of what they are rendered with', () => {
    expect(render('<{{.}}{{{.}}}{{#.}}x{{/.}}{{#toJson}}.{{/toJson}}>', { a: 1 }, { functions: true })).toBe('<>');
  });

  it('have no half characters in URLs', () => {
    const text = 'a\ud800b';
    expect(render('{{#url}}{{text}}😀{{/url}}', { text }, { functions: true })).toBe('a%3Fb%F0%9F%98%80');
  });

  it('know which are text alone', () => {
    expect(compileTemplate('plain').isConstant).toBe(true);
    expect(compileTemplate('{{a}}').isConstant).toBe(false);
    expect([hasTemplate('plain'), hasTemplate('{{a}}')]).toEqual([false, true]);
  });
});
