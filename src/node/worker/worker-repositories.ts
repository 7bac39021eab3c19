/** How a worker reaches repositories. */
import { RepositoryAccess } from '../../actions/snapshots/repository-access.js';
import { processClock, systemClock } from '../../base/clock.js';
import type { LiveSecureSettings } from '../../base/secure-settings.js';
import { NodePaces } from '../../shard/replication/node-paces.js';
import type { WorkerStart } from '../thread-messages.js';

export function workerRepositories(
  { settings, paceWords }: Pick<WorkerStart, 'settings' | 'paceWords'>,
  secureSettings: LiveSecureSettings,
): RepositoryAccess {
  const places = {
    paths: settings.values['path.repo'],
    allowedUrls: settings.values['repositories.url.allowed_urls'],
    s3Clients: settings.s3Clients,
    secureSettings,
    clock: systemClock,
  };
  return new RepositoryAccess(places, new NodePaces(processClock, paceWords));
}
