/**
 * What a role grants, in the API's own shape: it is stored and shown as it is. Every check reads descriptors that `parseRoleDescriptor` has made, or
 * the built-in ones.
 */
import type { JsonObject } from '../../base/json-value.js';

/** Fields that may be read: those of `grant` that `except` does not name. Patterns with `*`. */
export interface FieldSecurity {
  readonly grant: readonly string[];
  readonly except?: readonly string[];
}

/** Privileges on the indices, aliases and data streams that the patterns name. */
export interface IndexPrivileges {
  /** Patterns: `*` and `?` are wildcards, `/text/` is a regular expression. */
  readonly names: readonly string[];
  /** Names of index privileges or patterns of actions. */
  readonly privileges: readonly string[];
  readonly field_security?: FieldSecurity;
  /** A query as JSON text, or a template of one: only documents that match may be read. */
  readonly query?: string;
  /** Without it, patterns do not reach the indices that the system keeps for itself. */
  readonly allow_restricted_indices: boolean;
}

/** Privileges that applications define and check; nothing of this software asks for them. */
export interface ApplicationPrivileges {
  readonly application: string;
  readonly privileges: readonly string[];
  readonly resources: readonly string[];
}

export interface RoleDescriptor {
  /** Names of cluster privileges or patterns of actions. */
  readonly cluster: readonly string[];
  readonly indices: readonly IndexPrivileges[];
  readonly applications: readonly ApplicationPrivileges[];
  /** Patterns of names of users whose place may be taken. */
  readonly run_as: readonly string[];
  readonly metadata: JsonObject;
  readonly transient_metadata: JsonObject;
  readonly description?: string;
}
