import { systemClock } from '../../base/clock.js';
import { systemRandom } from '../../base/random.js';
import type { FrontSecurity, FrontSecurityServices } from './front-security.js';

/** Undefined where security is off: then nothing of it is loaded. Resolves when users of files can log in. */
export async function loadSecurity(
  services: Omit<FrontSecurityServices, 'clock' | 'random'>,
): Promise<FrontSecurity | undefined> {
  if (!services.settings.values['security.enabled']) return undefined;
  const { FrontSecurity: Security } = await import('./front-security.js');
  const security = new Security({ ...services, clock: systemClock, random: systemRandom });
  await security.start();
  return security;
}
