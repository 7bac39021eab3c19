/** Where the node of a configuration file answers the commands of its own machine. */
import { formatHostAddress } from '../base/host-address.js';
import { nodeSettingsOf, readRawSettings } from './settings.js';

/** A node that listens on all addresses of one kind does so on this one. */
const OF_ANY: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1', '::0': '::1' };

/** Of a range of ports the first one, which is what a node takes that is alone. Throws for a file with which no node starts. */
export async function nodeUrl(config: string | undefined): Promise<string> {
  const { values } = await nodeSettingsOf(await readRawSettings({ config, overrides: [] }));
  const host = OF_ANY[values['http.host']] ?? values['http.host'];
  const scheme = values['http.ssl.enabled'] ? 'https' : 'http';
  return `${scheme}://${formatHostAddress(host, values['http.port'].first)}`;
}
