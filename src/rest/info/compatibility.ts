/**
 * What official clients are told to talk to. They refuse servers whose version block or product header they do not
 * know, so the block names the API that is served, and `build_type` and `software` say honestly by what.
 */
import type { JsonObject } from '../../base/json-value.js';
import type { Distribution } from '../endpoint.js';

export const BUILD_DATE = '2025-01-01T00:00:00.000Z';

export function buildHash(softwareVersion: string): string {
  return `quarry-${softwareVersion}`;
}

/** Version of the API, by what tools are to see. */
const API_VERSIONS: Readonly<Record<Distribution, string>> = { elasticsearch: '8.19.0', opensearch: '3.1.0' };

export function versionBlock(distribution: Distribution, softwareVersion: string): JsonObject {
  const build = {
    build_type: 'quarry',
    build_hash: buildHash(softwareVersion),
    build_date: BUILD_DATE,
    build_snapshot: false,
  };
  if (distribution === 'opensearch') {
    return {
      distribution,
      number: API_VERSIONS.opensearch,
      ...build,
      lucene_version: '10.2.1',
      minimum_wire_compatibility_version: '2.19.0',
      minimum_index_compatibility_version: '2.0.0',
    };
  }
  return {
    number: API_VERSIONS.elasticsearch,
    build_flavor: 'default',
    ...build,
    lucene_version: '9.12.2',
    minimum_wire_compatibility_version: '7.17.0',
    minimum_index_compatibility_version: '7.0.0',
  };
}

/** The number alone, as other endpoints print it for a node. */
export function apiVersion(distribution: Distribution): string {
  return API_VERSIONS[distribution];
}

/** The version as one number: two digits for each part, and two that say that it is a release. */
export function versionId(distribution: Distribution): number {
  const [major = 0, minor = 0, patch = 0] = apiVersion(distribution).split('.').map(Number);
  return ((major * 100 + minor) * 100 + patch) * 100 + RELEASE;
}

const RELEASE = 99;

export function tagline(distribution: Distribution): string {
  return distribution === 'opensearch' ? 'The OpenSearch Project: https://opensearch.org/' : 'You Know, for Search';
}
