import { ClientError } from '@countersign/client';
import { type RefObject, useEffect, useId, useRef, useState } from 'react';
import { errorText } from '../data/error-text.js';
import { PasskeyFailure } from '../passkeys/passkey-failure.js';
import { linkFor } from '../passkeys/passkey-link.js';
import { focusInvalid } from './focus-invalid.js';
import { clearErrors, say, sayError } from '../notices/toast.js';
import { shellWords } from '../words/shell.js';

export interface Saving {
  busy: boolean;
  /** The form, if errors should focus their field in it. Otherwise they show a notice. */
  form: RefObject<HTMLFormElement | null>;
  /** The server's error for a field, or for one of its items (`rules.7`). */
  errorOf: (field: string) => string | undefined;
  /** All of them, if the server found several. */
  errorsOf: (field: string) => readonly string[];
  /** Sets a field's error before anything is sent. */
  refuse: (field: string, words: string) => void;
  run: (work: () => Promise<unknown>, done: string) => Promise<boolean>;
  /** Loads data that is needed before saving. Returns false on failure, which is shown. */
  load: (work: () => Promise<unknown>) => Promise<boolean>;
}

/** Saves, and keeps errors next to their fields. */
export function useSaving(): Saving {
  const about = useId();
  const form = useRef<HTMLFormElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<{
    field: string;
    words: string;
    all?: readonly { field: string; detail: string }[];
  }>();
  const refuse = (field: string | undefined, words: string, error?: unknown): void => {
    const all = error instanceof ClientError ? error.errors : undefined;
    if (field === undefined) sayError(about, new Error(words));
    else setProblem({ field, words, ...(all === undefined ? {} : { all }) });
  };
  useEffect(() => {
    if (problem === undefined) return;
    if (focusInvalid(form.current)) clearErrors(about);
    else sayError(about, new Error(problem.words));
  }, [problem, about]);
  const run = async (work: () => Promise<unknown>, done?: string): Promise<boolean> => {
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
      clearErrors(about);
      if (done !== undefined) say(done, 'green');
      return true;
    } catch (error) {
      if (error instanceof ClientError && error.kind === 'network') sayError(about, error);
      else if (error instanceof PasskeyFailure) sayError(about, error, linkFor(error));
      else refuse(error instanceof ClientError ? error.field : undefined, wordsOf(error), error);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return {
    busy,
    form,
    errorOf: (field) =>
      problem?.field === field || problem?.field.startsWith(`${field}.`) === true ? fieldWords(problem) : undefined,
    errorsOf: (field) =>
      (problem?.all ?? []).flatMap((each) =>
        each.field.startsWith(`${field}.`) ? [fieldWords({ field: each.field, words: each.detail })] : [],
      ),
    refuse,
    run,
    load: (work) => run(work),
  };
}

function wordsOf(error: unknown): string {
  if (error instanceof ClientError && error.status === 412) return shellWords.staleSave;
  return errorText(error);
}

/** Next to a field, its technical name is redundant: `apiKey: is missing` → `Is missing`, `folders[0]: must be …` → `Must be …`. */
function fieldWords({ field, words }: { field: string; words: string }): string {
  const names = [field, field.replaceAll(/\.(\d+)/g, '[$1]')];
  const name = names.find((each) => words.startsWith(`${each}: `));
  const rest = name === undefined ? words : words.slice(name.length + 2);
  return `${rest.slice(0, 1).toUpperCase()}${rest.slice(1)}`;
}
