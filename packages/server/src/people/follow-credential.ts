import { proposeExternal, withdrawExternal, type ExternalProposal } from '@countersign/core';
import type { AppContext, AppRequest } from '../app/context.js';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';

export interface FollowedCredential {
  /** True as soon as the credential has ended. Nothing may be delivered for it anymore. */
  hasEnded(): boolean;
  /** Aborts a moment later, when the call has been denied, unless it had started. */
  readonly signal: AbortSignal;
  end(): void;
}

/** Follows the credential of a request that waits for a call of an external agent (A55.12). */
export function followCredential(
  c: AppRequest,
  { auth, engine }: Pick<AppContext, 'auth' | 'engine'>,
  { worldId, id }: { worldId: string; id: string },
): FollowedCredential {
  const over = new AbortController();
  let hasEnded = false;
  const withdraw = async (): Promise<void> => {
    hasEnded = true;
    try {
      await withdrawExternal(engine.runtime, worldId, id, problemTexts.wrongToken);
    } finally {
      over.abort();
    }
  };
  const end = auth.streams?.add(c.var.access, worldId, withdraw, 'propose') ?? (() => undefined);
  return { hasEnded: () => hasEnded, signal: over.signal, end };
}

/** Proposes a call, unless the credential of the request ends first: a rehearsal takes seconds (A55.12). */
export async function proposeFollowed(
  c: AppRequest,
  { auth, engine }: Pick<AppContext, 'auth' | 'engine'>,
  worldId: string,
  proposal: ExternalProposal,
): Promise<{ id: string }> {
  const over = new AbortController();
  const { signal } = over;
  const end = auth.streams?.add(c.var.access, worldId, () => over.abort(), 'propose');
  try {
    return await proposeExternal(engine.runtime, worldId, { ...proposal, signal }, c.var.signer);
  } catch (error) {
    throw signal.aborted ? new HttpProblem(401, problemTexts.wrongToken) : error;
  } finally {
    end?.();
  }
}
