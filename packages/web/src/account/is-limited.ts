import { mayDo, type Me } from '@countersign/protocol';

/** Whether the session was opened with a token that may not manage sessions and tokens (W8.3). */
export function isLimited(account: Me): boolean {
  return account.scopes !== undefined && !mayDo(account, 'admin');
}
