import { proposeExternal, type ExternalCaller, type ExternalProposal } from '@countersign/core';
import type { AppContext, AppRequest } from '../app/context.js';
import { followCredential, type FollowedCredential } from './follow-credential.js';

/** A call, and the credential of the request that waits for it. The request ends following it. */
export interface FollowedCall {
  id: string;
  credential: FollowedCredential;
}

/** A program that doesn't name its claims is told apart by its credential alone. */
export function callerOf(c: AppRequest, claim = ''): ExternalCaller {
  return { by: c.var.signer, credential: c.var.access.holder, claim };
}

/**
 * Proposes a call, unless the credential of the request ends first: a rehearsal takes seconds, and a call that a rule allows starts when it is
 * written (EXT1.12). Undefined if the credential has ended; the call is then denied unless it has started.
 */
export async function proposeFollowed(
  c: AppRequest,
  context: Pick<AppContext, 'auth' | 'engine' | 'externalLimiter'>,
  worldId: string,
  proposal: Omit<ExternalProposal, 'signal'>,
  claim?: string,
): Promise<FollowedCall | undefined> {
  context.externalLimiter?.call(c, worldId, proposal.agentId);
  const credential = followCredential(c, context, { worldId });
  try {
    // It may have ended since the request was authenticated, for example while the body was being sent.
    await context.auth.streams?.check();
    if (!credential.hasEnded()) {
      const followed = { ...proposal, signal: credential.ended };
      const { id } = await proposeExternal(context.engine.runtime, worldId, followed, callerOf(c, claim));
      await credential.denyWhenEnded(id);
      if (!credential.hasEnded()) return { id, credential };
    }
  } catch (error) {
    credential.end();
    if (!credential.hasEnded()) throw error;
  }
  credential.end();
  return undefined;
}
