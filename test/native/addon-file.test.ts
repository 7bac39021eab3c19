/** Which add-on a node loads. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addonFile } from '../../src/native/addon-file.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarry-addons-'));
  const levels = [
    { file: 'wide.node', flags: ['old', 'new', 'newest'] },
    { file: 'middle.node', flags: ['old', 'new'] },
    { file: 'narrow.node', flags: ['old'] },
  ];
  await writeFile(join(folder, 'levels.json'), JSON.stringify(levels));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const chosen = (...flags: string[]): string => addonFile(folder, () => new Set(flags));

it('is the best that the processor can run', () => {
  expect(chosen('old', 'new', 'newest', 'other')).toBe(join(folder, 'wide.node'));
  expect(chosen('old', 'new')).toBe(join(folder, 'middle.node'));
  expect(chosen('newest', 'old')).toBe(join(folder, 'narrow.node'));
});

it('is none where the processor can run none, with what it would need', () => {
  expect(() => chosen('newest')).toThrow('this processor is not one with all of [old]: build Quarry here');
});

it('is the one that was built here, if there is one', async () => {
  await writeFile(join(folder, 'quarry.node'), '');
  expect(chosen('old', 'new')).toBe(join(folder, 'quarry.node'));
});
