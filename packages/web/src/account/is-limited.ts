import { mayDo, type Me } from '@countersign/protocol';

/** Whether the session was opened with a token or an invitation that may not manage sessions and tokens (WHO5, WHO5.1). */
export function isLimited(account: Me): boolean {
  return account.scopes !== undefined && !mayDo(account, 'admin');
}
