import { systemClock } from '../../base/clock.js';
import { QuarryError } from '../../base/errors.js';
import { systemRandom } from '../../base/random.js';
import type { AuditEntry } from '../../cluster/security/audit/audit-entry.js';
import type { AuditLog, AuditLogServices } from './audit-log.js';
import type { FrontAudit } from './front-audit.js';
import type { FrontSecurity, FrontSecurityServices } from './front-security.js';

type Services = Omit<FrontSecurityServices, 'clock' | 'random' | 'audit' | 'auditLog'>;

/** Where entries of the audit log go: to a file of this front's, or to the front that has the file. */
type AuditPlace = Pick<AuditLogServices, 'logsPath'> | { readonly write: (entry: AuditEntry) => void };

/** Undefined where security is off: then nothing of it is loaded. Resolves when users of files can log in. */
export async function loadSecurity(services: Services, place: AuditPlace): Promise<FrontSecurity | undefined> {
  const { 'security.enabled': isOn, 'security.audit.enabled': isAudited } = services.settings.values;
  if (!isOn && isAudited) {
    throw new QuarryError('settings_exception', 'setting [security.audit.enabled] needs [security.enabled]');
  }
  if (!isOn) return undefined;
  const { FrontSecurity: Security } = await import('./front-security.js');
  const all = { ...services, clock: systemClock, random: systemRandom };
  const { audit, auditLog } = isAudited ? await loadAudit(all, place) : { audit: undefined, auditLog: undefined };
  const security = new Security({ ...all, audit, auditLog });
  await security.start();
  return security;
}

async function loadAudit(
  services: Omit<AuditLogServices, 'logsPath'> & Pick<FrontSecurityServices, 'random'>,
  place: AuditPlace,
): Promise<{ readonly audit: FrontAudit; readonly auditLog: AuditLog | undefined }> {
  const { FrontAudit: Audit } = await import('./front-audit.js');
  if ('write' in place) return { audit: new Audit({ ...services, write: place.write }), auditLog: undefined };
  const { AuditLog: Log } = await import('./audit-log.js');
  const auditLog = await Log.open({ ...services, ...place });
  const write = (entry: AuditEntry): void => {
    auditLog.take(entry);
  };
  return { audit: new Audit({ ...services, write }), auditLog };
}
