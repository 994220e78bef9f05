import { holdLimit } from './characters.js';
import { mayBeEncoded } from './find-encoded.js';
import { mayHoldVendorKey } from './find-vendor-keys.js';
import { nameEndings } from './secret-names.js';

// In a URL, a plus is a space.
const named = new RegExp(`(?:${nameEndings})[ \\t"'+]*[:=]`);
const tagged = new RegExp(`(?:${nameEndings})>`);
// Statements in which the secret is the next word, without a separator. Options don't have to be listed here: they start with a dash.
const statements = /\b(?:setx|config(?:ure)?|set|machine|ALTER|alter|CREATE|create)[\s+]/;
// An option, or the first line of a private key. An option starts a word, so it is never preceded by a letter or digit.
const dashed = /(?<![A-Za-z0-9])-[A-Za-z-]|-----BEGIN/;

/**
 * False only if scanning would return the text unchanged. Each check must be broader than in the scanner: a pattern that is added there but not
 * here would leave secrets unmasked in short texts.
 */
export function mayHoldSecret(text: string): boolean {
  // The scanner splits words over the hold limit, so the checks below don't apply to their parts.
  if (text.length >= holdLimit) return true;
  // The character after a backslash is not part of the following word: in `\nghp_…` the key starts after the n.
  if (text.includes('\\')) return true;
  if (mayBeEncoded(text) || statements.test(text)) return true;
  if (text.includes('>') && tagged.test(text)) return true;
  const colon = text.includes(':');
  if (colon && text.includes('://')) return true;
  if ((colon || text.includes('=')) && named.test(text)) return true;
  if (text.includes('-') && dashed.test(text)) return true;
  return text.includes('Bearer') || mayHoldVendorKey(text);
}
