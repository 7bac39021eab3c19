/**
 * Data directories as earlier versions left them, one archive for each under `data/`, open in this version with all that they hold.
 * `QUARRY_COMPAT=write npx vitest run test/compat` adds the archive of this version: once for each release, and whenever a format changes.
 * Beside it lies one with segments of the formats 1 to 5.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { must } from '../../src/base/assert.js';
import { refuseDowngrade } from '../../src/node/version-stamp.js';
import { writeChecked } from '../../src/store/files.js';
import { runCommand, TestNode } from '../api/node-harness.js';
import { fill, fillPhrases, verify, verifyPhrases } from './contents.js';
import { fillFormats, verifyFormats } from './formats.js';

const KEPT = fileURLToPath(new URL('data/', import.meta.url));
/** The newest of the segment formats that `contents.ts` makes use of. */
const SEGMENT_FORMAT = 7;

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

describe.skipIf(process.env['QUARRY_COMPAT'] !== 'write')('writing', () => {
  const keep = async (name: string, fillNode: (node: TestNode) => Promise<void>): Promise<void> => {
    const node = await TestNode.start({ 'node.name': 'kept', 'node.processors': '1' });
    try {
      await fillNode(node);
      expect(await node.signal('SIGTERM')).toBe(0);
      mkdirSync(KEPT, { recursive: true });
      const archive = join(KEPT, `quarry-${version}-${name}.tar.gz`);
      execFileSync('tar', ['-czf', archive, '--owner=0', '--group=0', '-C', node.directory, 'data']);
    } finally {
      await node.stop();
    }
  };

  it('keeps the data directory of this version', async () => {
    await keep(`format-${SEGMENT_FORMAT}`, async (node) => {
      await fill(node);
      await fillPhrases(node);
    });
  }, 120_000);

  it('keeps segments of the formats that are not the newest', async () => {
    await keep('formats-1-to-5', fillFormats);
  }, 120_000);
});

/** Where the header of a segment names its format. */
const FORMAT_AT = 8;

/** By the end of an archive's name: the segment formats in it, and what looks at the rest. */
const ARCHIVES: Readonly<Record<string, readonly [readonly number[], (node: TestNode) => Promise<void>]>> = {
  'formats-1-to-5': [[1, 2, 3, 4, 5], verifyFormats],
  'format-6': [[4, 6], verify],
  'format-7': [
    [4, 6, 7],
    async (node) => {
      await verify(node);
      await verifyPhrases(node);
    },
  ],
};

function formatsBelow(folder: string): readonly number[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.seg'));
  const formats = files.map((name) => readFileSync(join(folder, name)).readUInt32LE(FORMAT_AT));
  return [...new Set(formats)].sort((one, other) => one - other);
}

describe.each(readdirSync(KEPT).filter((name) => name.endsWith('.tar.gz')))('%s', (archive) => {
  it('opens, holds what it held, and goes on', async () => {
    const home = mkdtempSync(join(tmpdir(), 'quarry-compat-'));
    execFileSync('tar', ['-xzf', join(KEPT, archive), '-C', home]);
    const [formats, verifyContents] = must(ARCHIVES[/formats?-[^.]*/.exec(archive)?.[0] ?? ''], archive);
    expect(formatsBelow(home)).toEqual(formats);
    const node = await TestNode.start({ 'node.name': 'kept', 'node.processors': '1' }, home);
    try {
      await verifyContents(node);
    } finally {
      await node.stop();
    }
  }, 120_000);
});

describe('a data directory', () => {
  it('is not opened by an older version than the one that last used it', async () => {
    const home = mkdtempSync(join(tmpdir(), 'quarry-downgrade-'));
    try {
      mkdirSync(join(home, 'data'));
      const stamp = join(home, 'data', 'software-version');
      await refuseDowngrade(stamp, '0.1.0');
      await refuseDowngrade(stamp, '0.1.0');
      await refuseDowngrade(stamp, '0.2.0');
      await expect(refuseDowngrade(stamp, '0.1.9')).rejects.toThrow(
        'cannot downgrade a node from version [0.2.0] to version [0.1.9]',
      );
      await writeChecked(stamp, '999.0.0');
      const settings = [`path.data=${join(home, 'data')}`, `path.logs=${join(home, 'logs')}`, 'http.port=0'];
      const { code, output } = await runCommand(['start', ...settings.flatMap((setting) => ['-E', setting])]);
      expect(code).toBe(1);
      expect(output).toBe(
        `quarry: cannot downgrade a node from version [999.0.0] to version [${version}]: restore a snapshot into a new cluster\n`,
      );
      expect(readdirSync(join(home, 'data')).sort()).not.toContain('cluster');
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
});
