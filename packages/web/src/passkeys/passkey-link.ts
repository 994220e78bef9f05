import { paths } from '../shell/paths.js';
import { passkeyWords } from '../words/passkeys.js';
import type { PasskeyFailure } from './passkey-failure.js';

/** The page where the person can add or confirm a passkey, if that would help. */
export function linkFor({ problem }: PasskeyFailure): { href: string; label: string } | undefined {
  return problem === 'none' || problem === 'untrusted'
    ? { href: paths.account, label: passkeyWords.toAccount }
    : undefined;
}
