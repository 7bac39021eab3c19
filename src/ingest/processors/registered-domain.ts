/** `registered_domain`: the parts of a domain name, by the public suffix list. */
import { illegalArgument } from '../../base/errors.js';
import { onDemand } from '../../base/on-demand.js';
import { defineProcessor } from '../processor.js';
import { textField } from './field-values.js';

const domains = onDemand('tldts');

export const registeredDomain = defineProcessor('registered_domain', (options) => {
  const field = options.text('field');
  const target = options.optionalText('target_field', '');
  const ignoreMissing = options.flag('ignore_missing', true);
  const prefix = target === '' ? '' : `${target}.`;
  return (document) => {
    const name = textField(document, field, ignoreMissing, 'cannot extract domain information.');
    if (name === undefined) return;
    const host = name.replace(/\.$/, '').toLowerCase();
    const found = domains().parse(host, { allowPrivateDomains: true, extractHostname: false, validateHostname: true });
    const { domain, publicSuffix, subdomain } = found;
    const isKnown = found.isIcann === true || found.isPrivate === true;
    if (publicSuffix === null || publicSuffix === '' || !isKnown) {
      if (ignoreMissing) return;
      throw illegalArgument(`unable to set domain information for document`);
    }
    document.set(`${prefix}domain`, host);
    if (domain !== null) document.set(`${prefix}registered_domain`, domain);
    document.set(`${prefix}top_level_domain`, publicSuffix);
    if (subdomain !== null && subdomain !== '') document.set(`${prefix}subdomain`, subdomain);
  };
});
