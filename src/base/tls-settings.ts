/** Settings of TLS: `http.ssl.*` for clients, `transport.ssl.*` between nodes. */
import { QuarryError } from './errors.js';
import { flag, list, oneOf, refuse, text, type SettingKind } from './node-setting-kinds.js';
import type { SecureSettings } from './secure-settings.js';

/** The ports that TLS is configured for. */
export type TlsPort = 'http' | 'transport';

const TLS_VERSIONS = ['TLSv1.3', 'TLSv1.2'] as const;
export type TlsVersion = (typeof TLS_VERSIONS)[number];

const versions = (): SettingKind<readonly TlsVersion[]> => ({
  fallback: TLS_VERSIONS,
  parse(raw, key) {
    const chosen = list([])
      .parse(raw, key)
      .map(
        (name) =>
          TLS_VERSIONS.find((each) => each === name) ??
          refuse(key, name, `expected are [${TLS_VERSIONS.join(', ')}]: versions before are not secure`),
      );
    if (!chosen.includes('TLSv1.3')) refuse(key, raw, '[TLSv1.3] cannot be left out');
    return [...new Set(chosen)];
  },
});

/** Names as OpenSSL and IANA have them, of TLS 1.2: those of 1.3 are fixed. */
const cipherSuites = (): SettingKind<readonly string[]> => ({
  fallback: [],
  parse: (raw, key) =>
    list([])
      .parse(raw, key)
      .map((name) => {
        if (/^TLS_(?:AES|CHACHA20)_/.test(name)) refuse(key, name, 'the suites of TLS 1.3 cannot be chosen');
        return /^[A-Z0-9_-]+$/i.test(name) ? name : refuse(key, name, 'the name of a cipher suite is expected');
      }),
});

/** One file: it may hold several certificates. */
const authorities = (): SettingKind<readonly string[]> => ({
  fallback: [],
  parse(raw, key) {
    const paths = list([]).parse(raw, key);
    if (paths.length > 1) refuse(key, paths, 'one file is expected, which may hold several certificates');
    return paths;
  },
});

export const TLS_DECLARATIONS = {
  'http.ssl.certificate': text(undefined),
  'http.ssl.certificate_authorities': authorities(),
  'http.ssl.cipher_suites': cipherSuites(),
  'http.ssl.client_authentication': oneOf(['none', 'optional', 'required'], 'none'),
  'http.ssl.enabled': flag(false),
  'http.ssl.key': text(undefined),
  'http.ssl.supported_protocols': versions(),
  'transport.ssl.certificate': text(undefined),
  'transport.ssl.certificate_authorities': authorities(),
  'transport.ssl.cipher_suites': cipherSuites(),
  /** Nodes always show each other certificates. */
  'transport.ssl.client_authentication': oneOf(['required'], 'required'),
  'transport.ssl.enabled': flag(false),
  'transport.ssl.key': text(undefined),
  'transport.ssl.supported_protocols': versions(),
  'transport.ssl.verification_mode': oneOf(['full', 'certificate'], 'full'),
} as const;

/** What TLS on one port needs; paths as they were given. Plain data, so that every thread can be given a copy. */
export interface TlsSettings {
  readonly port: TlsPort;
  readonly certificate: string;
  readonly key: string;
  /** Of an encrypted key. Never printed or logged. */
  readonly passphrase?: string;
  /** Without it nobody is asked for a certificate. */
  readonly authorities: string | undefined;
  readonly versions: readonly TlsVersion[];
  readonly cipherSuites: readonly string[];
  readonly clientAuthentication: 'none' | 'optional' | 'required';
  /** Whether the name or address of a server must be in its certificate. */
  readonly verifiesHosts: boolean;
}

type Values = {
  readonly [Key in keyof typeof TLS_DECLARATIONS]: (typeof TLS_DECLARATIONS)[Key] extends SettingKind<infer T>
    ? T
    : never;
};

/** Undefined where TLS is off. Refuses what is incomplete. The passphrase of the key is a secure setting. */
export function tlsSettings(values: Values, port: TlsPort, secure?: SecureSettings): TlsSettings | undefined {
  if (!values[`${port}.ssl.enabled`]) return undefined;
  const needed = (key: `${TlsPort}.ssl.${'certificate' | 'key'}`): string => {
    const path = values[key];
    if (path !== undefined) return path;
    throw incomplete(port, key);
  };
  const [authorities] = values[`${port}.ssl.certificate_authorities`];
  const clientAuthentication = values[`${port}.ssl.client_authentication`];
  if (clientAuthentication !== 'none' && authorities === undefined) {
    throw incomplete(port, `${port}.ssl.certificate_authorities`);
  }
  const versions = values[`${port}.ssl.supported_protocols`];
  const cipherSuites = values[`${port}.ssl.cipher_suites`];
  if (cipherSuites.length > 0 && !versions.includes('TLSv1.2')) {
    refuse(
      `${port}.ssl.cipher_suites`,
      cipherSuites,
      'they are of TLSv1.2, which is not among the supported protocols',
    );
  }
  const passphrase = secure?.secureSetting(`${port}.ssl.secure_key_passphrase`);
  return {
    port,
    certificate: needed(`${port}.ssl.certificate`),
    key: needed(`${port}.ssl.key`),
    ...(passphrase === undefined ? {} : { passphrase }),
    authorities: clientAuthentication === 'none' ? undefined : authorities,
    versions,
    cipherSuites,
    clientAuthentication,
    verifiesHosts: port === 'transport' && values['transport.ssl.verification_mode'] === 'full',
  };
}

/** Throws, with what to use instead, for settings of TLS that the reference has and Quarry has not. */
export function refuseOtherTls(key: string): void {
  const match = /^(?:xpack\.security\.|plugins\.security\.ssl\.)?(http|transport)\.(?:ssl\.)?(\w+)/.exec(key);
  const [, port = '', name = ''] = match ?? [];
  const why = REFUSED.get(name);
  if (why === undefined) return;
  throw new QuarryError('settings_exception', `setting [${key}] is not supported: ${why.replaceAll('PORT', port)}`);
}

const PEM_ONLY =
  'certificates and keys are read as PEM, see [PORT.ssl.certificate], [PORT.ssl.key], [PORT.ssl.certificate_authorities]';
const NO_PASSPHRASE = 'the keystore holds the passphrase of a key, as [PORT.ssl.secure_key_passphrase]';
const REFUSED: ReadonlyMap<string, string> = new Map([
  ['keystore', PEM_ONLY],
  ['truststore', PEM_ONLY],
  ['key_passphrase', NO_PASSPHRASE],
]);

function incomplete(port: TlsPort, key: string): QuarryError {
  return new QuarryError('settings_exception', `[${port}.ssl.enabled: true] needs the setting [${key}]`);
}
