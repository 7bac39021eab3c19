/** What is said to those who have not proved that they belong to the cluster. */
import { QuarryError } from '../base/errors.js';

export function refused(reason: string): QuarryError {
  return new QuarryError('connect_transport_exception', reason);
}

/** To a node that wants to prove what this one does not know. */
export function noSecret(): QuarryError {
  return refused('remote node has no secret of the cluster, local node has one: see [cluster.secret_file]');
}
