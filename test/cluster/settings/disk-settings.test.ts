import { describe, expect, it } from 'vitest';
import {
  checkDiskSettingsTogether,
  describeWatermark,
  freeBytesRequired,
  watermark,
} from '../../../src/cluster/settings/disk-settings.js';
import type { FlatSettings } from '../../../src/cluster/settings/flat-settings.js';

const GIGABYTE = 2 ** 30;
const MARK = 'cluster.routing.allocation.disk.watermark';

function settings(values: Readonly<Record<string, string>>): FlatSettings {
  return new Map(Object.entries(values).map(([key, value]) => [`${MARK}.${key}`, value]));
}

describe('the room that a watermark asks for', () => {
  it.each<[Readonly<Record<string, string>>, number, number, string]>([
    [{}, 1_000, 150, `${MARK}.low=85%`],
    [{}, 10_000, 200, `${MARK}.low.max_headroom=200GB`],
    // Who sets one watermark is not bound by headrooms that he does not know of.
    [{ flood_stage: '96%' }, 10_000, 1_500, `${MARK}.low=85%`],
    [{ low: '80%', 'low.max_headroom': '30gb' }, 1_000, 30, `${MARK}.low.max_headroom=30gb`],
    // A ratio is the same as its percentage, in what is said of it too.
    [{ low: '0.8' }, 1_000, 200, `${MARK}.low=80%`],
    [{ low: '.555' }, 1_000, 445, `${MARK}.low=55.5%`],
    [{ low: '0.29', 'low.max_headroom': '30gb' }, 1_000, 30, `${MARK}.low.max_headroom=30gb`],
    [{ low: '0.29' }, 1_000, 710, `${MARK}.low=29%`],
    [{ low: '1', high: '1.0', flood_stage: '100%' }, 1_000, 0, `${MARK}.low=100%`],
    [{ low: '0.0' }, 1_000, 0, `${MARK}.low=0`],
    [{ low: '7gb', high: '6gb', flood_stage: '5gb' }, 10_000, 7, `${MARK}.low=7gb`],
  ])('with %j on a disk of %d GB is %d GB', (values, total, required, responsible) => {
    const mark = watermark('low', settings(values));
    expect(freeBytesRequired(mark, total * GIGABYTE)).toBe(required * GIGABYTE);
    expect(describeWatermark(mark, total * GIGABYTE)).toBe(responsible);
  });

  it('of the frozen tier has a watermark of its own', () => {
    const mark = watermark('frozenFloodStage', settings({ low: '80%' }));
    expect(freeBytesRequired(mark, 1_000 * GIGABYTE)).toBe(20 * GIGABYTE);
  });
});

describe('settings of disks together', () => {
  it.each<[Readonly<Record<string, string>>, string]>([
    [{ low: '95%' }, 'low disk watermark [95%] more than high disk watermark [90%]'],
    [{ low: '0.95' }, 'low disk watermark [95%] more than high disk watermark [90%]'],
    [{ flood_stage: '0.8999' }, 'high disk watermark [90%] more than flood stage disk watermark [89.99%]'],
    [{ low: '0.5', high: '5gb' }, 'unable to consistently parse'],
    [{ low: '1.5' }, 'with value [1.5] as a size in bytes: unit is missing'],
    [{ low: '85' }, 'with value [85] as a size in bytes: unit is missing'],
    [{ low: '-0.5' }, 'with value [-0.5] as a size in bytes: unit is missing'],
    [
      { low: '80%', 'low.max_headroom': '1gb' },
      'high disk max headroom [-1] is not set, while the low disk max headroom is set [1gb]',
    ],
    [
      { 'low.max_headroom': '1gb', 'high.max_headroom': '2gb', 'flood_stage.max_headroom': '1gb' },
      'high disk max headroom [2gb] more than low disk max headroom [1gb]',
    ],
    [
      { 'flood_stage.max_headroom': '160gb' },
      'flood disk max headroom [160gb] more than high disk max headroom [150GB]',
    ],
    [
      { low: '3gb', high: '2gb', flood_stage: '1gb', 'low.max_headroom': '1gb' },
      'At least one of the disk max headroom settings is set [low=1gb, high=-1, flood=-1], while the disk watermark values are ' +
        'set to absolute values instead of ratios/percentages, e.g., the low watermark is [3gb]',
    ],
    [
      { 'flood_stage.frozen': '1gb', 'flood_stage.frozen.max_headroom': '1gb' },
      'The frozen flood stage disk max headroom setting is set [1gb], while the frozen flood stage disk watermark setting is ' +
        'set to an absolute value instead of a ratio/percentage [1gb]',
    ],
  ])('refuse %j', (values, message) => {
    expect(() => {
      checkDiskSettingsTogether(settings(values));
    }).toThrow(message);
  });

  it('let all three be set as the handbooks of operators do', () => {
    const raised = {
      low: '90%',
      'low.max_headroom': '100GB',
      high: '95%',
      'high.max_headroom': '20GB',
      flood_stage: '97%',
      'flood_stage.max_headroom': '5GB',
      'flood_stage.frozen': '97%',
      'flood_stage.frozen.max_headroom': '5GB',
    };
    checkDiskSettingsTogether(settings(raised));
    expect(freeBytesRequired(watermark('floodStage', settings(raised)), 1_000 * GIGABYTE)).toBe(5 * GIGABYTE);
  });
});
