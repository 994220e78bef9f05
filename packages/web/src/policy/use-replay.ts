import { ClientError } from '@countersign/client';
import type { Replayed } from '@countersign/protocol';
import { useEffect, useState } from 'react';
import { useClient } from '../data/connection.js';
import { errorText } from '../data/error-text.js';
import { useMay } from '../data/me.js';

/** How long typing pauses before a replay starts, so that there is at most one per second. */
const PAUSE_MS = 1000;

export type ReplayState =
  | { kind: 'none' }
  | { kind: 'running'; calls: number }
  | { kind: 'done'; replayed: Replayed }
  /** `isInvalid`: the rules can't be read. */
  | { kind: 'failed'; why: string; isInvalid: boolean };

const NONE: ReplayState = { kind: 'none' };

/** One editing session per page. `randomUUID` is missing where the page is not on HTTPS. */
const session = crypto.getRandomValues(new Uint32Array(4)).join('-');

/** What these rules would have decided for past calls. Without rules, or for somebody who may not replay, nothing. */
export function useReplay(worldId: string, rules: readonly string[] | undefined): ReplayState {
  const client = useClient();
  const may = [useMay('admin', worldId), useMay('sign', worldId)].every(Boolean);
  const key = rules === undefined || !may ? '' : JSON.stringify(rules);
  const [last, setLast] = useState<{ key: string; state: ReplayState }>();
  useEffect(() => {
    if (key === '') return undefined;
    const cancel = new AbortController();
    const { signal } = cancel;
    const show = (state: ReplayState): void => {
      if (!signal.aborted) setLast({ key, state });
    };
    let timer = setTimeout(() => void run(), PAUSE_MS);
    const run = async (): Promise<void> => {
      show({ kind: 'running', calls: 0 });
      const tell = (calls: number): void => show({ kind: 'running', calls });
      try {
        const wanted = { rules: JSON.parse(key) as string[], session };
        show({ kind: 'done', replayed: await client.replayPolicy(worldId, wanted, { signal, tell }) });
      } catch (error) {
        const status = error instanceof ClientError ? error.status : 0;
        // Somebody else replays. This page's own replays end when they are cancelled.
        if (status === 409 && !signal.aborted) timer = setTimeout(() => void run(), PAUSE_MS);
        else show({ kind: 'failed', why: errorText(error), isInvalid: status === 422 });
      }
    };
    return () => {
      clearTimeout(timer);
      cancel.abort();
    };
  }, [client, key, worldId]);
  if (key === '') return NONE;
  return last?.key === key ? last.state : { kind: 'running', calls: 0 };
}
