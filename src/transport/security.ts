/** How nodes know that they belong together. */
import type { TlsSettings } from '../base/tls-settings.js';

/** Plain data, so that every thread can be given a copy. Never logged, never shown. */
export interface TransportSecurity {
  /** Undefined: connections are plain. */
  readonly tls: TlsSettings | undefined;
  /** See `secretKey`; undefined: no secret is proved. */
  readonly secretKey: Uint8Array | undefined;
}

/** Whoever reaches the port commands the node. */
export const NO_SECURITY: TransportSecurity = { tls: undefined, secretKey: undefined };
