import type { McpServer } from '@countersign/protocol';
import type { McpSignIn } from '../ports/index.js';

/** A sign-in as shown to people, without any secret. Undefined if nobody has tried to sign in. */
export function showSignIn(signIn: McpSignIn | 'unreadable' | undefined, now: number): McpServer['signIn'] {
  if (signIn === undefined) return undefined;
  if (signIn === 'unreadable') return { state: 'expired', pending: false };
  const { grant, pending, error } = signIn;
  const state = grant === undefined ? 'signed-out' : grant.tokens === undefined ? 'expired' : 'signed-in';
  const isPending = pending !== undefined && pending.expiresAt > now;
  if (state === 'signed-out' && !isPending && error === undefined) return undefined;
  return {
    state,
    ...(grant === undefined ? {} : { issuer: grant.metadata.issuer }),
    pending: isPending,
    ...(error === undefined ? {} : { error }),
  };
}
