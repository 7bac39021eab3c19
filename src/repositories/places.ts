/** What a node is configured with about where repositories may be, and how it gets there. */
import { isAbsolute, join, normalize, sep } from 'node:path';
import type { Clock } from '../base/clock.js';
import type { S3ClientSettings } from '../base/s3-client-settings.js';
import type { LiveSecureSettings } from '../base/secure-settings.js';

export interface RepositoryPlaces {
  /** `path.repo`: directories in or below which repositories may lie; absolute. */
  readonly paths: readonly string[];
  /** `repositories.url.allowed_urls`. */
  readonly allowedUrls: readonly string[];
  /** `s3.client.*` by name. */
  readonly s3Clients: Readonly<Record<string, S3ClientSettings>>;
  /** Credentials are among them. */
  readonly secureSettings: LiveSecureSettings;
  readonly clock: Clock;
}

/** The directory if it is in or below one of the allowed ones; a relative one is looked for below the first. */
export function allowedDirectory(location: string, paths: readonly string[]): string | undefined {
  const [first] = paths;
  if (first === undefined) return undefined;
  const path = normalize(isAbsolute(location) ? location : join(first, location));
  const isAllowed = paths.some(
    (allowed) => path === allowed || path.startsWith(allowed.endsWith(sep) ? allowed : allowed + sep),
  );
  return isAllowed ? path : undefined;
}
