/** A node that others than its own machine can reach asks them who they are, unless its operator says that it need not. */
import { QuarryError } from '../base/errors.js';
import type { NodeSettings } from '../base/node-settings.js';
import type { TransportSecurity } from '../transport/security.js';
import { isLoopback } from './addresses.js';

type Values = NodeSettings['values'];

/** Settings of the hosts by which others may reach a node that does not ask who they are. */
export type OpenHosts = readonly OpenPort['setting'][];

/** A port that others can reach, and what keeps none of them out. */
interface OpenPort {
  readonly setting: 'http.host' | 'transport.host';
  readonly host: string;
  readonly remedy: string;
}

/**
 * Settings of the hosts by which others may reach a node that does not ask who they are. Throws where there are any, unless
 * that is allowed expressly.
 */
export function openHosts({ values }: NodeSettings, security: TransportSecurity): OpenHosts {
  const ports = openPorts(values, security);
  const [open] = values['security.allow_insecure_bind'] ? [] : ports;
  if (open === undefined) return ports.map(({ setting }) => setting);
  const reason =
    `[${open.setting}: ${open.host}] can be reached from other machines, and nothing keeps anybody out: ${open.remedy}; ` +
    `or keep to [${open.setting}: 127.0.0.1]; or allow it with [security.allow_insecure_bind: true]`;
  throw new QuarryError('settings_exception', reason);
}

function openPorts(values: Values, { tls, secretKey }: TransportSecurity): readonly OpenPort[] {
  const open: OpenPort[] = [];
  const { 'http.host': http, 'transport.host': transport } = values;
  if (!isLoopback(http) && !(values['security.enabled'] && values['http.ssl.enabled'])) {
    const remedy = 'set [security.enabled: true] and [http.ssl.enabled: true]';
    open.push({ setting: 'http.host', host: http, remedy });
  }
  if (!isLoopback(transport) && tls === undefined && secretKey === undefined) {
    const remedy = 'set [transport.ssl.enabled: true], or give all nodes a secret by [cluster.secret_file]';
    open.push({ setting: 'transport.host', host: transport, remedy });
  }
  return open;
}
