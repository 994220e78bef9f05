import type { ReactElement } from 'react';
import { Mark } from '../ui/signature.js';
import { Visible } from '../ui/visible.js';

/** Shown without a session. There is nothing to type here: who may come in gets a link from the server itself. */
export function SignIn({ why }: { why?: string | undefined }): ReactElement {
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
          This page opens with a link that works once, for a minute. The terminal in which the server runs shows it;
          press Enter there for a new one.
        </p>
        <p className="mt-3 text-sm text-ink-3">
          A tab that is already signed in lets others of this browser in: open that one first.
        </p>
      </div>
    </main>
  );
}
