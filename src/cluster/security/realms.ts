/** Where users are kept, by the names that answers and the audit log show. */
import type { RealmName } from './subject.js';

export const RESERVED_REALM: RealmName = { name: 'reserved', type: 'reserved' };
export const FILE_REALM: RealmName = { name: 'default_file', type: 'file' };
export const NATIVE_REALM: RealmName = { name: 'default_native', type: 'native' };
export const API_KEY_REALM: RealmName = { name: '_es_api_key', type: '_es_api_key' };
export const SERVICE_ACCOUNT_REALM: RealmName = { name: '_service_account', type: '_service_account' };
export const ANONYMOUS_REALM: RealmName = { name: '__anonymous', type: '__anonymous' };

/** The built-in user who may do everything. */
export const ADMIN = 'admin';

/** Built-in users and their roles; nobody can add one of the same name. */
export const RESERVED_USERS: ReadonlyMap<string, readonly string[]> = new Map([[ADMIN, ['superuser']]]);
