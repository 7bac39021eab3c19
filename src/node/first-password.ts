/** The first password of the built-in user, as whoever starts the node gives it. */
import { QuarryError } from '../base/errors.js';
import type { NodeSettings } from '../base/node-settings.js';
import type { SecureSettings } from '../base/secure-settings.js';

const SECURE_SETTING = 'bootstrap.password';

/** `given` by the environment, which wins over the keystore. Throws for one that the API would refuse. */
export async function firstPassword(
  { values }: NodeSettings,
  keystore: SecureSettings,
  given: string | undefined,
): Promise<string | undefined> {
  const password = given ?? keystore.secureSetting(SECURE_SETTING);
  if (password === undefined || !values['security.enabled']) return undefined;
  const { passwordFaults } = await import('../actions/security/password-faults.js');
  const [fault] = passwordFaults(password);
  if (fault === undefined) return password;
  const source = given === undefined ? `secure setting [${SECURE_SETTING}]` : 'variable [QUARRY_BOOTSTRAP_PASSWORD]';
  throw new QuarryError('settings_exception', `${source}: ${fault}`);
}
