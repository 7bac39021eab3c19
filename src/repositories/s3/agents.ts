/** Connections of a client: so many at most, kept open between requests, through a proxy where one is set. */
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { onDemand } from '../../base/on-demand.js';
import type { S3ClientSettings } from '../../base/s3-client-settings.js';

const proxies = onDemand('hpagent');

interface ProxyCredentials {
  readonly username: string | undefined;
  readonly password: string | undefined;
}

export function agentsOf(
  settings: S3ClientSettings,
  { username, password }: ProxyCredentials,
): { readonly httpAgent: HttpAgent; readonly httpsAgent: HttpsAgent } {
  const options = { keepAlive: true, maxSockets: settings.max_connections };
  const host = settings['proxy.host'];
  if (host === undefined) return { httpAgent: new HttpAgent(options), httpsAgent: new HttpsAgent(options) };
  const proxy = new URL(`${settings['proxy.scheme']}://${host}:${settings['proxy.port']}`);
  if (username !== undefined) proxy.username = encodeURIComponent(username);
  if (password !== undefined) proxy.password = encodeURIComponent(password);
  const { HttpProxyAgent, HttpsProxyAgent } = proxies();
  const through = { ...options, proxy: proxy.href };
  return { httpAgent: new HttpProxyAgent(through), httpsAgent: new HttpsProxyAgent(through) };
}
