/** Addresses of nodes: `host`, `host:port`, `[IPv6]:port`, or an IPv6 address alone. */

export interface HostAddress {
  /** Without brackets. */
  readonly host: string;
  readonly port: number | undefined;
}

/** Undefined for anything else. */
export function parseHostAddress(text: string): HostAddress | undefined {
  const bracketed = /^\[([^\]]+)\](?::(\d{1,5}))?$/.exec(text);
  if (bracketed !== null) {
    const [, host = '', port] = bracketed;
    return isIPv6(host) ? withPort(host, port) : undefined;
  }
  if (isIPv6(text)) return { host: text, port: undefined };
  const [host = '', port, ...more] = text.split(':');
  if (more.length > 0 || !isHostName(host)) return undefined;
  return withPort(host, port);
}

/** `host:port`, as other nodes and URLs take it. */
export function formatHostAddress(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** A name or an address that something may be bound to. */
export function isHostName(text: string): boolean {
  return isIPv6(text) || (text.length <= 253 && /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/i.test(text));
}

function withPort(host: string, port: string | undefined): HostAddress | undefined {
  if (port === undefined) return { host, port: undefined };
  const number = /^\d{1,5}$/.test(port) ? Number(port) : NaN;
  return number >= 1 && number <= 65_535 ? { host, port: number } : undefined;
}

function isIPv6(text: string): boolean {
  // A URL knows the grammar; a zone would not survive in it.
  return text.includes(':') && !text.includes('[') && !text.includes(']') && URL.canParse(`http://[${text}]/`);
}
