import type { ReactElement } from 'react';
import { Mark } from '../ui/signature.js';
import { Visible } from '../ui/visible.js';

/** Shown without a session. There is nothing to type here. `canGoOn`: behind it the page waits, with everything that was typed. */
export function SignIn({ why, canGoOn }: { why?: string | undefined; canGoOn: boolean }): ReactElement {
  return (
    <main className="flex h-full items-center justify-center p-4">
      <div className="max-w-md">
        <Mark className="h-8 text-blue" />
        <h1 className="mt-3 text-2xl font-semibold tracking-tight">Countersign</h1>
        {why === undefined || why === '' ? null : (
          <p className="mt-3 text-sm text-amber">
            <Visible text={why} />
          </p>
        )}
        <p className="mt-3 text-ink-2">
          This page opens with a link that works once, within a minute. To get one, run{' '}
          <code className="font-mono text-sm">countersign open</code> on the machine where the server runs, or press
          Enter in the server’s terminal.
        </p>
        <p className="mt-3 text-sm text-ink-3">
          {canGoOn
            ? 'Open the link in another tab of this browser and keep this one. It continues where you were, with everything you typed.'
            : 'A tab that is already signed in lets others of this browser in: open that one first.'}
        </p>
      </div>
    </main>
  );
}
