import { describe, expect, it } from 'vitest';
import type { RestAnswer } from '../../../src/rest/answer.js';
import type { Presentation } from '../../../src/rest/endpoint.js';
import { answerTable, column, type Column, type TableOptions } from '../../../src/rest/cat/table.js';

interface Row {
  readonly name: string;
  readonly size: number | undefined;
}

const COLUMNS: readonly Column<Row>[] = [
  column('name', 'what it is called', (row) => row.name, { aliases: 'n' }),
  column('size', 'how big it is', ({ size }) => (size === undefined ? undefined : { bytes: size }), {
    aliases: 's,si',
    align: 'right',
  }),
  column('wait', 'how long it took', () => ({ millis: 1500 }), { isDefault: false, aliases: 'late', hasTwin: true }),
  column('pri.wait', 'how long it took the primary', () => ({ millis: 500 }), { isDefault: false, aliases: 'pw,late' }),
];

const ROWS: readonly Row[] = [
  { name: 'first', size: 2048 },
  { name: 'b', size: undefined },
  { name: 'c', size: 3 },
];

const OPTIONS: TableOptions = { v: false, help: false, h: undefined, s: undefined, bytes: undefined, time: undefined };

function table(options: Partial<TableOptions>, format?: 'json'): Promise<RestAnswer> {
  const presentation: Presentation = { format, pretty: false, human: false, filterPath: [], errorTrace: false };
  return answerTable(COLUMNS, { ...OPTIONS, ...options }, presentation, () => ROWS);
}

async function text(options: Partial<TableOptions>): Promise<string> {
  const answer = await table(options);
  return answer.kind === 'text' ? answer.text : `unexpected ${answer.kind}`;
}

describe('cat tables', () => {
  it('pads to the widest cell, numbers to the right', async () => {
    expect(await text({})).toBe('first 2kb\nb        \nc      3b\n');
    expect(await text({ v: true })).toBe('name  size\nfirst  2kb\nb         \nc       3b\n');
  });

  it('selects columns by name, alias and wildcard, under the name that was used', async () => {
    expect(await text({ v: true, h: ['si', 'n'] })).toBe(' si n\n2kb first\n    b\n 3b c\n');
    expect(await text({ h: ['w*'] })).toBe('1.5s\n1.5s\n1.5s\n');
    expect(await text({ h: ['nothing'] })).toBe('\n\n\n');
  });

  it('takes patterns for aliases too, each column once, and the last of those with one alias', async () => {
    expect(await text({ v: true, h: ['s*', 'size', 'n*'] })).toBe('size name\n 2kb first\n     b\n  3b c\n');
    expect(await text({ h: ['late'] })).toBe('500ms\n500ms\n500ms\n');
  });

  it('shows twins of the columns that are asked for when that is asked for', async () => {
    expect(await text({ v: true, h: ['wait', 'n'], pri: true })).toMatch(/^wait pri\.wait n\n1\.5s +500ms +first\n/);
    expect(await text({ v: true, pri: true })).toMatch(/^name +size\n/);
  });

  it('sorts by values, missing ones first, and refuses unknown keys', async () => {
    expect(await text({ h: ['n'], s: ['size:desc'] })).toBe('first\nc\nb\n');
    expect(await text({ h: ['n'], s: ['s', 'n'] })).toBe('b\nc\nfirst\n');
    await expect(table({ s: ['nope'] })).rejects.toThrow('Unable to sort by unknown sort key `nope`');
  });

  it('prints sizes and times in the unit that is asked for', async () => {
    expect(await text({ h: ['size'], bytes: 'b' })).toBe('2048\n    \n   3\n');
    expect(await text({ h: ['wait'], time: 'ms' })).toBe('1500\n1500\n1500\n');
  });

  it('answers JSON with every value as text', async () => {
    expect(await table({ h: ['n', 'size'] }, 'json')).toMatchObject({
      value: [
        { n: 'first', size: '2kb' },
        { n: 'b', size: null },
        { n: 'c', size: '3b' },
      ],
    });
  });

  it('explains its columns', async () => {
    expect(await text({ help: true })).toBe(
      [
        'name     | n       | what it is called',
        'size     | s,si    | how big it is',
        'wait     | late    | how long it took',
        'pri.wait | pw,late | how long it took the primary',
        '',
      ].join('\n'),
    );
  });
});
