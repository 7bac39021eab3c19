/** What a read by id asks for and answers. */
import type { SourceSpec } from './bulk.js';

export interface GetOptions {
  /** Default true: reads what is not refreshed yet as well. */
  readonly realtime?: boolean;
  readonly routing?: string;
  /** Decimal digits: all 64 bits of a version. */
  readonly version?: string;
  readonly versionType?: 'internal' | 'external' | 'external_gte';
  readonly source?: SourceSpec;
  readonly storedFields?: readonly string[];
  /** The body is the source alone, as `_source` endpoints answer. */
  readonly sourceOnly?: boolean;
}

export interface GetResult {
  readonly found: boolean;
  /** The answer as JSON; empty where `sourceOnly` finds no document or no source. */
  readonly body: Uint8Array;
}

/** {@link GetOptions} as the kernels read them. */
export type OptionsText = string;

export function optionsJson({ version, ...options }: GetOptions): OptionsText {
  const json = JSON.stringify(options);
  if (version === undefined) return json;
  return json === '{}' ? `{"version":${version}}` : `{"version":${version},${json.slice(1)}`;
}
