import { withdrawExternal } from '@countersign/core';
import type { AppContext, AppRequest } from '../app/context.js';
import { problemTexts } from '../app/problem-texts.js';

export interface FollowedCredential {
  /** True as soon as the credential has ended. Nothing may be delivered for it anymore. */
  hasEnded(): boolean;
  /** Aborts at the same time, so that nothing is proposed for it anymore. */
  readonly ended: AbortSignal;
  /** Aborts a moment later, when the call has been denied, unless it had started. */
  readonly signal: AbortSignal;
  /** Denies this call when the credential ends, or now if it has ended. */
  denyWhenEnded(id: string): Promise<void>;
  end(): void;
}

/** Follows the credential of a request that proposes a call of an external agent, or waits for one (EXT1.12). */
export function followCredential(
  c: AppRequest,
  { auth, engine }: Pick<AppContext, 'auth' | 'engine'>,
  { worldId, id }: { worldId: string; id?: string },
): FollowedCredential {
  const ended = new AbortController();
  const over = new AbortController();
  let call = id;
  const withdraw = async (): Promise<void> => {
    ended.abort();
    try {
      if (call !== undefined) await withdrawExternal(engine.runtime, worldId, call, problemTexts.wrongToken);
    } finally {
      over.abort();
    }
  };
  const end = auth.streams?.add(c.var.access, worldId, withdraw, 'propose') ?? (() => undefined);
  return {
    hasEnded: () => ended.signal.aborted,
    ended: ended.signal,
    signal: over.signal,
    async denyWhenEnded(proposed) {
      call = proposed;
      if (ended.signal.aborted) await withdraw();
    },
    end,
  };
}
