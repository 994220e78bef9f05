import type { ProviderTest } from '@countersign/protocol';
import { useEffect, useRef, useState } from 'react';
import { useClient } from '../data/connection.js';
import { clearErrors, sayError } from '../notices/toast.js';

export interface Testing {
  readonly state: 'idle' | 'running' | ProviderTest;
  /** Whether the provider was tested because it was just saved. Then the result also says that it was saved. */
  readonly isSaved: boolean;
  /** Runs a test. Without a model, it requests the list of models. */
  run: (model?: string) => void;
  /** Runs a test and waits for it. Undefined if it was cancelled or the request failed; a failure is shown. */
  ask: (model?: string) => Promise<ProviderTest | undefined>;
  /** The same for a provider that was just saved. */
  askSaved: () => Promise<ProviderTest | undefined>;
  cancel: () => void;
}

/** Tests a provider. A later test replaces an earlier one. */
export function useTest(providerId: string): Testing {
  const client = useClient();
  const [state, setState] = useState<Testing['state']>('idle');
  const [isSaved, setIsSaved] = useState(false);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), [providerId]);
  const about = `test-${providerId}`;
  const run = async (model?: string, afterSave = false): Promise<ProviderTest | undefined> => {
    setIsSaved(afterSave);
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    setState('running');
    clearErrors(about);
    try {
      const body = model === undefined ? {} : { model };
      const result = await client.testProvider(providerId, body, { signal: own.signal });
      if (own.signal.aborted) return undefined;
      setState(result);
      return result;
    } catch (error) {
      if (own.signal.aborted) return undefined;
      setState('idle');
      sayError(about, error);
      return undefined;
    }
  };
  return {
    state,
    isSaved,
    run: (model) => void run(model),
    ask: (model) => run(model),
    askSaved: () => run(undefined, true),
    cancel() {
      running.current?.abort();
      setState('idle');
    },
  };
}
