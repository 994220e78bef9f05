import { holdLimit } from './characters.js';
import { mayBeEncoded } from './find-encoded.js';
import { mayHoldVendorKey } from './find-vendor-keys.js';
import { nameEndings } from './secret-names.js';

// A plus is a blank in a URL.
const named = new RegExp(`(?:${nameEndings})[ \\t"'+]*[:=]`);
const tagged = new RegExp(`(?:${nameEndings})>`);
// Where a secret is the next word without a sign before it. Options need none of this: each begins with a dash.
const statements = /\b(?:setx|config(?:ure)?|set|machine|ALTER|alter|CREATE|create)[\s+]/;
// An option or the first line of a private key. It starts a word, so no letter or digit stands before an option.
const dashed = /(?<![A-Za-z0-9])-[A-Za-z-]|-----BEGIN/;

/**
 * False only if no part of this text is a secret and nothing in it announces one: scanning it would give it back as it is. Each way to
 * announce one is read more widely here than the scanner reads it. One that is added there and not here would go unmasked in short texts.
 */
export function mayHoldSecret(text: string): boolean {
  // A word longer than what is held is cut, and what its parts look like is not for this to say.
  if (text.length >= holdLimit) return true;
  // The character after a backslash is no part of the word that follows: in `\nghp_…` the key starts after the n.
  if (text.includes('\\')) return true;
  if (mayBeEncoded(text) || statements.test(text)) return true;
  if (text.includes('>') && tagged.test(text)) return true;
  const colon = text.includes(':');
  if (colon && text.includes('://')) return true;
  if ((colon || text.includes('=')) && named.test(text)) return true;
  if (text.includes('-') && dashed.test(text)) return true;
  return text.includes('Bearer') || mayHoldVendorKey(text);
}
