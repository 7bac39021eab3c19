import { describe, expect, it } from 'vitest';
import { resolveDateMathName } from '../../src/cluster/names/date-math-name.js';

const NOW_MS = Date.UTC(2024, 2, 22, 23, 45, 30);

describe('date math names', () => {
  it.each([
    ['logs', 'logs'],
    ['<logs>', 'logs'],
    ['<logs-{now/d}>', 'logs-2024.03.22'],
    ['<logs-{now/M}>', 'logs-2024.03.01'],
    ['<logs-{now/M{yyyy.MM}}>', 'logs-2024.03'],
    ['<logs-{now/M-1M{yyyy.MM}}>', 'logs-2024.02'],
    ['<logs-{now/d{yyyy.MM.dd|+12:00}}>', 'logs-2024.03.23'],
    ['<logs-{now/d{yyyy.MM.dd|Asia/Tokyo}}>', 'logs-2024.03.23'],
    ['<{now/y{yyyy}}-{now-1d/d{MM-dd}}>', '2024-03-21'],
    ['<w-{now/w{xxxx.ww}}>', 'w-2024.12'],
    ['<a\\{b\\}-{now/d{dd}}>', 'a{b}-22'],
    ['<h-{now+1h/h{yyyy.MM.dd.HH}}>', 'h-2024.03.23.00'],
    ['<m-{now-3M{yyyy-MM-dd}}>', 'm-2023-12-22'],
    ['<old-{2015-01-31||+1M{yyyy-MM-dd}}>', 'old-2015-02-28'],
  ])('resolves %s', (expression, name) => {
    expect(resolveDateMathName(expression, NOW_MS)).toBe(name);
  });

  it.each([
    ['<>', 'invalid dynamic name expression [<>]. nothing captured'],
    ['<logs-{now/d>', 'invalid dynamic name expression [<logs-{now/d>]. date math placeholder is open ended'],
    ['<logs-now}>', 'invalid character at position [8]'],
    ['<logs-{then/d}>', 'failed to parse date field [then/d]'],
    ['<logs-{now/d{QQ}}>', 'Unknown pattern letter: Q'],
    ['<logs-{now/d{yyyy|Nowhere/Else}}>', 'Unknown time-zone ID: Nowhere/Else'],
  ])('refuses %s', (expression, message) => {
    expect(() => resolveDateMathName(expression, NOW_MS)).toThrow(message);
  });
});
