import { systemClock } from '../../base/clock.js';
import { QuarryError } from '../../base/errors.js';
import { systemRandom } from '../../base/random.js';
import type { FrontAuditServices } from './front-audit.js';
import type { FrontSecurity, FrontSecurityServices } from './front-security.js';

type Services = Omit<FrontSecurityServices & FrontAuditServices, 'clock' | 'random' | 'audit'>;

/** Undefined where security is off: then nothing of it is loaded. Resolves when users of files can log in. */
export async function loadSecurity(services: Services): Promise<FrontSecurity | undefined> {
  const { 'security.enabled': isOn, 'security.audit.enabled': isAudited } = services.settings.values;
  if (!isOn && isAudited) {
    throw new QuarryError('settings_exception', 'setting [security.audit.enabled] needs [security.enabled]');
  }
  if (!isOn) return undefined;
  const { FrontSecurity: Security } = await import('./front-security.js');
  const all = { ...services, clock: systemClock, random: systemRandom };
  const audit = isAudited ? await (await import('./front-audit.js')).FrontAudit.open(all) : undefined;
  const security = new Security({ ...all, audit });
  await security.start();
  return security;
}
