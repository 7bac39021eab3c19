import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { withSourcePlaces } from '../../src/store/source-places.js';

it('names lines of the sources where there is a map, and leaves all else as it is', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'quarry-places-'));
  const url = pathToFileURL(path.join(directory, 'joined.js')).href;
  // Line 2, column 1 of the file comes from line 5, column 3 of the source.
  const map = { version: 3, file: 'joined.js', names: [], sources: ['../src/a.ts'], mappings: ';AAIE' };
  writeFileSync(path.join(directory, 'joined.js.map'), JSON.stringify(map));
  const other = pathToFileURL(path.join(directory, 'other.js')).href;
  const stack = `Error: at x\n    at parse (${url}:2:1)\n    at ${other}:2:1\n    at node:internal/x:1:2`;
  const source = path.relative(process.cwd(), path.join(path.dirname(directory), 'src/a.ts'));
  expect(withSourcePlaces(stack)).toBe(
    `Error: at x\n    at parse (${source}:5:3)\n    at ${other}:2:1\n    at node:internal/x:1:2`,
  );
  rmSync(directory, { recursive: true });
});
