/** The bodies of changes of security: which members of each the audit log shows. What is not named here is hidden. */
import {
  listOf,
  mapOf,
  membersOf,
  metadata,
  oneOrMore,
  orItsText,
  scalar,
  scalars,
  type Shown,
} from './shown-members.js';

/** The body of a change that has none. */
export const nothing = membersOf({});

export const user = membersOf({
  username: scalar,
  roles: scalars,
  full_name: scalar,
  email: scalar,
  enabled: scalar,
  metadata,
});

/** Which documents somebody may read: the entry would not say what was given without it. */
const query: Shown = (value) => value;

const indices = listOf(
  membersOf({
    names: scalars,
    privileges: scalars,
    field_security: membersOf({ grant: scalars, except: scalars }),
    query,
    allow_restricted_indices: scalar,
  }),
);

const applications = listOf(membersOf({ application: scalar, privileges: scalars, resources: scalars }));

export const role = membersOf({
  cluster: scalars,
  index: indices,
  indices,
  application: applications,
  applications,
  run_as: scalars,
  description: scalar,
  metadata,
  transient_metadata: membersOf({ enabled: scalar }),
  global: mapOf(metadata),
  remote_indices: listOf(nothing),
  remote_cluster: listOf(nothing),
  restriction: membersOf({ workflows: scalars }),
});

/** What decides who gets a role is shown as it is, what is asked of metadata too. */
const ruleField: Shown = (value) => mapOf(scalars)(value);
/** Deeper rules are refused. */
const RULE_DEPTH_MAX = 33;

function ruleAt(depth: number): Shown {
  const inner: Shown = (value) => (depth < RULE_DEPTH_MAX ? ruleAt(depth + 1) : nothing)(value);
  return membersOf({ any: listOf(inner), all: listOf(inner), except: inner, field: ruleField });
}

const template = membersOf({ source: oneOrMore(scalar), lang: scalar, params: metadata });

export const roleMapping = membersOf({
  enabled: scalar,
  roles: scalars,
  role_templates: listOf(membersOf({ template: orItsText(template), format: scalar })),
  rules: ruleAt(1),
  metadata,
});

/** By application, then by name. */
export const privileges = mapOf(mapOf(membersOf({ application: scalar, name: scalar, actions: scalars, metadata })));

const ofKey = {
  name: scalar,
  expiration: scalar,
  type: scalar,
  role_descriptors: mapOf(role),
  metadata,
};

/** One that is made, cloned or changed. */
export const apiKey = membersOf(ofKey);

export const grant = membersOf({
  grant_type: scalar,
  username: scalar,
  run_as: scalar,
  api_key: apiKey,
});

export const keysUpdate = membersOf({ ...ofKey, ids: scalars });

export const keySelection = membersOf({
  id: scalar,
  ids: scalars,
  name: scalar,
  username: scalar,
  realm_name: scalar,
  owner: scalar,
});

export const tokenSelection = membersOf({ username: scalar, realm_name: scalar });

export const profile = membersOf({ grant_type: scalar, username: scalar });
