import { ClientError } from '@countersign/client';
import { useState } from 'react';
import { say } from '../ui/toast.js';
import { t } from '../words/settings.js';

export interface Saving {
  busy: boolean;
  /** What is wrong with a field, or with one of its items (`rules.7`), as the server named it. */
  errorOf: (field: string) => string | undefined;
  /** Says what is wrong with a field before anything is sent. */
  refuse: (field: string, words: string) => void;
  run: (work: () => Promise<unknown>, done: string) => Promise<boolean>;
  /** What has to be known before it is saved. False: it could not be read, which was said. */
  look: (work: () => Promise<unknown>) => Promise<boolean>;
}

/** Saves, and keeps what is wrong beside the field it is about. */
export function useSaving(): Saving {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<{ field: string; words: string }>();
  const run = async (work: () => Promise<unknown>, done?: string): Promise<boolean> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
      if (done !== undefined) say(done, 'green');
      return true;
    } catch (error) {
      const words = wordsOf(error);
      if (error instanceof ClientError && error.field !== undefined) setProblem({ field: error.field, words });
      say(words, 'red');
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
      say(words, 'red');
    },
    run,
    look: (work) => run(work),
  };
}

function wordsOf(error: unknown): string {
  if (error instanceof ClientError && error.status === 412) return t.staleSave;
  return error instanceof Error ? error.message : t.saveFailed;
}
