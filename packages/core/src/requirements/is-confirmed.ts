import type { PersonRecord } from '../ports/index.js';

/** If the OIDC provider can't be asked, its last answer counts this long (WHO8.5). */
const LONGEST_MS = 60 * 60_000;

/** Whether a person doesn't use OIDC, or the provider confirmed their groups within the last hour. */
export function isConfirmed({ oidc }: Pick<PersonRecord, 'oidc'>, now: number): boolean {
  return oidc === undefined || now - oidc.checkedAt < LONGEST_MS;
}

/** Whether the OIDC provider ended the sign-in of a person, who can do nothing until they sign in again (WHO8.4). */
export function isSignedOut({ oidc }: Pick<PersonRecord, 'oidc'>): boolean {
  return oidc?.checkedAt === 0;
}
