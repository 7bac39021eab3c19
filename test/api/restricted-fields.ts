/** Documents of which a user may read some fields: those whose names begin with `secret_` are hidden. */
import type { Json } from './node-harness.js';
import { MAPPING, PREFIXES, valuesOf } from './restricted-reads.js';
import { done, type Ask } from './security-helpers.js';

export const FIELD_IDS = ['a1', 'a2', 'a3', 'a4', 'a5'] as const;
/** As the role of a user has it. */
export const FIELDS: Json = { grant: ['*'], except: ['secret_*', 'both'] };

const { properties, ...otherMembers } = MAPPING;
const SCRIPTED: Json = {
  shown: { type: 'keyword', script: "emit(doc['secret_tag'].value)" },
  shown_source: { type: 'keyword', script: 'emit(params._source.secret_tag)' },
};
/** What field level security lets see of it. */
const VISIBLE: Json = Object.fromEntries(Object.entries(properties as Json).filter(([name]) => !/^secret_/.test(name)));

/** With `onlyVisible` neither the hidden fields nor their values are there. */
export async function putFields(ask: Ask, index: string, settings: object, onlyVisible = false): Promise<void> {
  const mapped = onlyVisible
    ? VISIBLE
    : { ...properties, secret_copied: { type: 'keyword', copy_to: 'both' }, both: { type: 'text', fielddata: true } };
  const mappings = { ...otherMembers, properties: mapped, ...(onlyVisible ? {} : { runtime: SCRIPTED }) };
  await done(ask('PUT', `/${index}`, { settings, mappings }));
  for (const id of FIELD_IDS) {
    const number = Number(id.slice(1));
    const [usual, secret] = PREFIXES.map((prefix) => valuesOf(prefix, number, prefix !== ''));
    const hidden = onlyVisible ? {} : { ...secret, secret_copied: `hush${number} copied` };
    const more = { id, dept: 'open', join: 'parent', stored_query: { term: { dept: 'open' } } };
    await done(ask('PUT', `/${index}/_doc/${id}`, { ...more, ...usual, ...hidden }));
  }
  const child = { id: 'a11', dept: 'open', join: { name: 'child', parent: 'a1' }, ...valuesOf('', 11, false) };
  const hidden = onlyVisible ? {} : valuesOf('secret_', 11, true);
  await done(ask('PUT', `/${index}/_doc/a11?routing=a1`, { ...child, ...hidden }));
  await done(ask('POST', `/${index}/_refresh`));
}
