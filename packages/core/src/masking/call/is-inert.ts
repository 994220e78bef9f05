import { isLikelySecret } from '../../ports/is-likely-secret.js';
import { findVendorKeys } from '../scan/find-vendor-keys.js';
import { secretName } from '../scan/secret-names.js';
import { type CallContext, isShell } from './call-context.js';
import { continuesAsAddress, isAddress, isWebhook } from './is-address.js';
import { type Candidate, kindOf } from './kind-of-secret.js';
import { programOf } from './program-of.js';
import { readsAsText } from './reads-as-text.js';

/** Whether nothing in the call can execute or expand the candidate, or use it as a path or host. False if in doubt (SAFE6). */
export function isInert(candidate: Candidate, context: CallContext): boolean {
  const { text, start, end, key } = candidate;
  const secret = text.slice(start, end);
  const found = kindOf(candidate, context);
  if (context.writesCode && found.kind !== 'value') return false;
  if (found.kind === 'pem') return secret.split(/\\[rn]|[\r\n]+/).every((line) => !readsAsText(line));
  if (isWebhook(candidate)) return /^[\w/-]+$/.test(secret);
  if (isAddress(secret) || continuesAsAddress(candidate, found.kind === 'url')) return false;
  if (context.isProse(key)) return true;
  const isKey = findVendorKeys(secret).some(([from, to]) => from === 0 && to === secret.length);
  if (found.kind !== 'header' && !isKey && readsAsText(secret)) return false;
  // A short lowercase word is more likely a program than a password.
  if (found.kind !== 'url' && /^[a-z]{1,12}$/.test(secret)) return false;
  const program = isShell(key) && found.kind !== 'value' ? programOf(candidate, context) : undefined;
  // In `rm token=x`, `--token x` and `! --token x`, the candidate is a file or command.
  if (program === 'other' || (program === 'none' && found.kind !== 'assignment')) return false;
  const opaque = isKey || isLikelySecret(secret);
  switch (found.kind) {
    case 'url':
    case 'header':
      return opaque || program === undefined || program === 'installed';
    case 'option':
      return opaque || programOf(candidate, context) === 'installed';
    case 'value':
      return opaque || (key !== undefined && secretName(key) !== undefined);
    case 'assignment':
      return opaque && context.mentions(found.name) < 2;
    case 'other':
      return opaque;
    case 'bare':
      return opaque && program === undefined && isWholeKey(candidate);
  }
}

/** `{ key: 'sk-…' }`: the whole value of an argument that often contains a key. */
function isWholeKey({ text, start, end, key }: Candidate): boolean {
  return start === 0 && end === text.length && /(?:^|[_-])(?:key|value|auth)$/i.test(key ?? '');
}
