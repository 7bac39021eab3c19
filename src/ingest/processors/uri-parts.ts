/** `uri_parts`: what a URI is made of. */
import { illegalArgument } from '../../base/errors.js';
import { putMember, type IngestObject } from '../document/values.js';
import { defineProcessor } from '../processor.js';
import { textField } from './field-values.js';

export const uriParts = defineProcessor('uri_parts', (options) => {
  const field = options.text('field');
  const target = options.optionalText('target_field', 'url');
  const keepOriginal = options.flag('keep_original', true);
  const removeIfSuccessful = options.flag('remove_if_successful');
  const ignoreMissing = options.flag('ignore_missing');
  return (document) => {
    const text = textField(document, field, ignoreMissing, 'cannot process it.');
    if (text === undefined) return;
    const parts = partsOf(text);
    if (keepOriginal) putMember(parts, 'original', text);
    if (removeIfSuccessful && field !== target) document.remove(field);
    document.set(target, parts);
  };
});

/** As RFC 3986 takes a URI apart. */
const URI = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;
const AUTHORITY = /^(?:([^@]*)@)?(\[[^\]]*\]|[^:]*)(?::(\d*))?$/;

function partsOf(text: string): IngestObject {
  const found = URI.exec(text);
  const [, scheme, authority, path = '', query, fragment] = found ?? [];
  const host = authority === undefined ? null : AUTHORITY.exec(authority);
  if (found === null || /[\s<>"\\^`{}]/.test(text) || (authority !== undefined && host === null)) {
    throw illegalArgument(`unable to parse URI [${text}]`);
  }
  const [, userInfo, domain, port] = host ?? [];
  const parts: IngestObject = {};
  const put = (name: string, value: string | undefined): void => {
    if (value !== undefined && value !== '') parts[name] = decoded(value);
  };
  put('domain', domain);
  put('fragment', fragment);
  if (path !== '' || authority !== undefined) parts['path'] = decoded(path);
  put('extension', extensionOf(path));
  if (port !== undefined && port !== '') parts['port'] = Number(port);
  put('query', query);
  put('scheme', scheme);
  if (userInfo !== undefined && userInfo !== '') {
    put('user_info', userInfo);
    const colon = userInfo.indexOf(':');
    put('username', colon < 0 ? undefined : userInfo.slice(0, colon));
    put('password', colon < 0 ? undefined : userInfo.slice(colon + 1));
  }
  return parts;
}

/** What is behind the last dot of the last part of the path. */
function extensionOf(path: string): string | undefined {
  const last = path.slice(path.lastIndexOf('/') + 1);
  const dot = last.lastIndexOf('.');
  return dot < 0 ? undefined : last.slice(dot + 1);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
