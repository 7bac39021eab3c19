/** The settings of a node that only its keystore may hold. One that something reads has a line here. */
import { QuarryError } from './errors.js';
import { nearestNames } from './suggest.js';

/** Names as users read them; `<client>` stands for any word. */
const SECURE_SETTINGS = [
  'bootstrap.password',
  'cluster.secret',
  'http.ssl.secure_key_passphrase',
  's3.client.<client>.access_key',
  's3.client.<client>.secret_key',
  's3.client.<client>.session_token',
  's3.client.<client>.proxy.username',
  's3.client.<client>.proxy.password',
  'transport.ssl.secure_key_passphrase',
] as const;

const PATTERNS = SECURE_SETTINGS.map((name) => {
  const parts = name.split('<client>').map((part) => part.replaceAll('.', '\\.'));
  return new RegExp(`^${parts.join('[\\w-]+')}$`);
});

/** What a secure setting may be called at all. */
export const SECURE_NAME = /^[a-zA-Z0-9_.-]{1,255}$/;

/** What the keystore of a node holds, for whoever needs one of the values. Values are never printed, logged or sent anywhere. */
export interface SecureSettings {
  /** Undefined where the keystore has no such setting. */
  secureSetting(name: string): string | undefined;
}

/** The same for a thread that has to ask for them. */
export interface LiveSecureSettings {
  /** Another one after each reload. */
  readonly version: number;
  read(): Promise<SecureSettings>;
}

export function isSecureSetting(name: string): boolean {
  return PATTERNS.some((pattern) => pattern.test(name));
}

/** Throws `settings_exception` for a name that no part of a node reads; `isPlain` says which are settings of the configuration file. */
export function checkSecureSettings(names: Iterable<string>, isPlain: (name: string) => boolean): void {
  for (const name of names) {
    if (isSecureSetting(name)) continue;
    if (isPlain(name)) {
      const reason = `setting [${name}] is a non-secure setting and must be stored inside quarry.yml, but was found inside the keystore`;
      throw new QuarryError('settings_exception', reason);
    }
    throw new QuarryError('settings_exception', `unknown secure setting [${name}]${nearest(name)}`);
  }
}

/** A secure setting that the configuration file or an option holds. */
export function secureSettingInTheOpen(name: string): QuarryError {
  const reason =
    `setting [${name}] is a secure setting and must be stored inside the keystore (quarry keystore add ${name}), ` +
    'but was found among the settings of quarry.yml and -E';
  return new QuarryError('settings_exception', reason);
}

/** With the word for `<client>` that the unknown name has there. */
function nearest(name: string): string {
  const client = /^s3\.client\.([\w-]+)\./.exec(name)?.[1] ?? 'default';
  const [found] = nearestNames(
    name,
    SECURE_SETTINGS.map((known) => known.replace('<client>', client)),
  );
  return found === undefined ? '' : ` did you mean [${found}]?`;
}
