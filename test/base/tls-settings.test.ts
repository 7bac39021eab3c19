import { expect, it } from 'vitest';
import { parseNodeSettings } from '../../src/base/node-settings.js';
import { tlsSettings, type TlsSettings } from '../../src/base/tls-settings.js';

const FILES = { 'http.ssl.enabled': 'true', 'http.ssl.certificate': 'a.crt', 'http.ssl.key': 'a.key' };

function http(raw: Readonly<Record<string, string>>): TlsSettings | undefined {
  return tlsSettings(parseNodeSettings(new Map(Object.entries(raw))).values, 'http');
}

it('TLS is off unless it is switched on, and has what it needs then', () => {
  expect(http({ 'http.ssl.certificate': 'a.crt' })).toBeUndefined();
  expect(http(FILES)).toEqual({
    port: 'http',
    certificate: 'a.crt',
    key: 'a.key',
    authorities: undefined,
    versions: ['TLSv1.3', 'TLSv1.2'],
    cipherSuites: [],
    clientAuthentication: 'none',
    verifiesHosts: false,
  });
  expect(() => http({ ...FILES, 'http.ssl.client_authentication': 'optional' })).toThrow(
    '[http.ssl.enabled: true] needs the setting [http.ssl.certificate_authorities]',
  );
  const transport = { 'transport.ssl.enabled': 'true', 'transport.ssl.certificate': 'a', 'transport.ssl.key': 'b' };
  expect(() => http(transport)).toThrow(
    '[transport.ssl.enabled: true] needs the setting [transport.ssl.certificate_authorities]',
  );
});

it.each([
  ['http.ssl.enabled', 'yes', 'only [true] or [false] are allowed'],
  ['http.ssl.client_authentication', 'all', 'expected one of [none, optional, required]'],
  ['http.ssl.certificate_authorities', 'a,b', 'one file is expected, which may hold several certificates'],
  ['http.ssl.supported_protocols', 'TLSv1.1', 'expected are [TLSv1.3, TLSv1.2]: versions before are not secure'],
  ['http.ssl.supported_protocols', 'TLSv1.2', '[TLSv1.3] cannot be left out'],
  ['http.ssl.cipher_suites', 'TLS_AES_128_GCM_SHA256', 'the suites of TLS 1.3 cannot be chosen'],
  ['http.ssl.cipher_suites', 'a:b', 'the name of a cipher suite is expected'],
  ['transport.ssl.verification_mode', 'none', 'expected one of [full, certificate]'],
  ['transport.ssl.client_authentication', 'optional', 'expected one of [required]'],
])('[%s: %s] is refused', (key, value, why) => {
  const shown = value === 'a,b' ? 'a,b' : value;
  expect(() => http({ [key]: value })).toThrow(`failed to parse value [${shown}] for setting [${key}]: ${why}`);
});

it('suites of a version that is not offered are refused', () => {
  const raw = { ...FILES, 'http.ssl.supported_protocols': 'TLSv1.3', 'http.ssl.cipher_suites': 'ECDHE-RSA-AES128-SHA' };
  expect(() => http(raw)).toThrow(/\[http\.ssl\.cipher_suites\]: they are of TLSv1\.2/);
});

it.each([
  ['http.ssl.keystore.path', 'certificates and keys are read as PEM, see [http.ssl.certificate]'],
  ['transport.ssl.truststore.password', 'certificates and keys are read as PEM, see [transport.ssl.certificate]'],
  ['http.ssl.key_passphrase', 'the keystore holds the passphrase of a key, as [http.ssl.secure_key_passphrase]'],
  ['xpack.security.http.ssl.keystore.path', 'certificates and keys are read as PEM'],
])('[%s] is refused by its name', (key, why) => {
  expect(() => http({ [key]: 'a' })).toThrow(`setting [${key}] is not supported: ${why}`);
});
