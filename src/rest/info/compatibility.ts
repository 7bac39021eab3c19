/**
 * What official clients are told to talk to. They refuse servers whose version block or product header they do not
 * know, so the block names the API that is served, and `build_type` and `software` say honestly by what.
 */
import { RELEASES } from '../../base/compatible-versions.js';
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { NodeSettings } from '../../base/node-settings.js';
import type { Distribution } from '../endpoint.js';

export const BUILD_DATE = '2025-01-01T00:00:00.000Z';

export function buildHash(softwareVersion: string): string {
  return `quarry-${softwareVersion}`;
}

/** What a node is set to be taken for. */
type Announced = Pick<NodeSettings, 'values'>;

export function versionBlock(settings: Announced, softwareVersion: string): JsonObject {
  const { 'compatibility.distribution': distribution, 'compatibility.version': number } = settings.values;
  const release = RELEASES[distribution].get(number);
  if (release === undefined) throw new QuarryError('internal_error', `release [${number}] is not known`);
  return {
    ...(distribution === 'opensearch' ? { distribution } : {}),
    number,
    ...(distribution === 'elasticsearch' ? { build_flavor: 'default' } : {}),
    build_type: 'quarry',
    build_hash: buildHash(softwareVersion),
    build_date: BUILD_DATE,
    build_snapshot: false,
    lucene_version: release.lucene,
    minimum_wire_compatibility_version: release.minimumWire,
    minimum_index_compatibility_version: release.minimumIndex,
  };
}

/** The number alone, as other endpoints print it for a node. */
export function apiVersion({ values }: Announced): string {
  return values['compatibility.version'];
}

/** The version as one number: two digits for each part, and two that say that it is a release. */
export function versionId(settings: Announced): number {
  const [major = 0, minor = 0, patch = 0] = apiVersion(settings).split('.').map(Number);
  return ((major * 100 + minor) * 100 + patch) * 100 + RELEASE;
}

const RELEASE = 99;

export function tagline(distribution: Distribution): string {
  return distribution === 'opensearch' ? 'The OpenSearch Project: https://opensearch.org/' : 'You Know, for Search';
}
