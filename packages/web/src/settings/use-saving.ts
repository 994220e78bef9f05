import { ClientError } from '@countersign/client';
import { useId, useState } from 'react';
import { clearErrors, say, sayError } from '../ui/toast.js';
import { t } from '../words/settings.js';

export interface Saving {
  busy: boolean;
  /** The error of a field, or of one of its items (`rules.7`), as named by the server. */
  errorOf: (field: string) => string | undefined;
  /** Sets the error of a field before anything is sent. */
  refuse: (field: string, words: string) => void;
  run: (work: () => Promise<unknown>, done: string) => Promise<boolean>;
  /** Loads what must be known before saving. Returns false on failure, which is shown. */
  look: (work: () => Promise<unknown>) => Promise<boolean>;
}

/** Saves, and keeps errors next to their fields. */
export function useSaving(): Saving {
  const about = useId();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<{ field: string; words: string }>();
  const run = async (work: () => Promise<unknown>, done?: string): Promise<boolean> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
      clearErrors(about);
      if (done !== undefined) say(done, 'green');
      return true;
    } catch (error) {
      const words = wordsOf(error);
      if (error instanceof ClientError && error.field !== undefined) setProblem({ field: error.field, words });
      sayError(about, new Error(words));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return {
    busy,
    errorOf: (field) =>
      problem?.field === field || problem?.field.startsWith(`${field}.`) === true ? problem.words : undefined,
    refuse(field, words) {
      setProblem({ field, words });
      sayError(about, new Error(words));
    },
    run,
    look: (work) => run(work),
  };
}

function wordsOf(error: unknown): string {
  if (error instanceof ClientError && error.status === 412) return t.staleSave;
  return error instanceof Error ? error.message : t.saveFailed;
}
