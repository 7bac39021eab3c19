import { describe, expect, it } from 'vitest';

interface Result {
  file: string;
  name: string;
  status: 'pass' | 'fail' | 'skip';
  reason: string;
}

interface Verdict {
  areas: Map<string, { pass: number; fail: number; skip: number }>;
  expected: Map<string, number>;
  unexpected: Result[];
  outgrown: Result[];
  unused: string[];
}

interface Module {
  judge: (tests: Result[], later: Record<string, Record<string, string>>) => Verdict;
  isClean: (verdict: Verdict) => boolean;
  describe: (verdict: Verdict) => string[];
}

const place = new URL('../../src/setup/conformance-verdict.mjs', import.meta.url).href;
const verdicts = (await import(place)) as Module;

function result(id: string, status: Result['status']): Result {
  const cut = id.lastIndexOf('/');
  return { file: id.slice(0, cut), name: id.slice(cut + 1), status, reason: status === 'fail' ? 'no answer' : '' };
}

describe('the verdict over conformance tests', () => {
  it('counts per folder and accepts failures that the list explains', () => {
    const tests = [
      result('a/get/1.yml/plain', 'pass'),
      result('a/get/2.yml/geo (b)', 'fail'),
      result('a/x/3.yml/t', 'skip'),
    ];
    const verdict = verdicts.judge(tests, { 'a/get/2.yml': { 'geo (*)': 'geo fields' } });
    expect(verdict.areas.get('a/get')).toEqual({ pass: 1, fail: 1, skip: 0 });
    expect(verdict.areas.get('a/x')).toEqual({ pass: 0, fail: 0, skip: 1 });
    expect([...verdict.expected]).toEqual([['geo fields', 1]]);
    expect(verdicts.isClean(verdict)).toBe(true);
    expect(verdicts.describe(verdict).join('\n')).toContain('1 of 1 failures are expected');
  });

  it('refuses failures outside the list and names them', () => {
    const verdict = verdicts.judge([result('a/get/1.yml/plain', 'fail')], {});
    expect(verdicts.isClean(verdict)).toBe(false);
    expect(verdicts.describe(verdict).join('\n')).toContain('a/get/1.yml/plain  -- no answer');
  });

  it('refuses listed tests that pass, so the list shrinks with the work', () => {
    const verdict = verdicts.judge([result('a/get/1.yml/plain', 'pass')], { 'a/get/1.yml': { '*': 'nothing' } });
    expect(verdict.outgrown).toHaveLength(1);
    expect(verdicts.isClean(verdict)).toBe(false);
  });

  it('prefers an exact title over a pattern', () => {
    const later = { 'a/1.yml': { '*': 'one', plain: 'two', 'gone.': 'three' } };
    const verdict = verdicts.judge([result('a/1.yml/plain', 'fail'), result('a/1.yml/gone', 'fail')], later);
    expect([...verdict.expected]).toEqual([
      ['two', 1],
      ['one', 1],
    ]);
    expect(verdict.unused).toEqual(['a/1.yml/gone.']);
  });
});
