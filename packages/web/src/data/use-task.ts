import { useRef, useState } from 'react';
import { errorText } from './error-text.js';

/** A task that a person starts. */
export interface Task {
  readonly isBusy: boolean;
  /** Why it failed, until it is run again or the error is replaced. */
  readonly error: string | undefined;
  readonly setError: (error: string | undefined) => void;
  /** Never rejects. Resolves to false if the work failed, or was not started because the task was running. */
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>;
}

/** `explain` replaces the message of an error. */
export function useTask(explain: (error: unknown) => string = errorText): Task {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<string>();
  const isRunning = useRef(false);
  return {
    isBusy,
    error,
    setError,
    async run(work) {
      if (isRunning.current) return false;
      isRunning.current = true;
      setIsBusy(true);
      setError(undefined);
      try {
        await work();
        return true;
      } catch (failure) {
        setError(explain(failure));
        return false;
      } finally {
        isRunning.current = false;
        setIsBusy(false);
      }
    },
  };
}
