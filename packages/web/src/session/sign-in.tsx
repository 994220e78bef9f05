import type { ReactElement } from 'react';
import { Mark } from '../ui/signature.js';
import { Visible } from '../ui/visible.js';
import { t } from '../words/shell.js';

/** Shown if there is no session. It has no form: people sign in with a start link. `keepsPage`: the page behind it is kept, with any unsaved input. */
export function SignIn({ why, keepsPage }: { why?: string | undefined; keepsPage: boolean }): ReactElement {
  return (
    <main className="flex h-full items-center justify-center p-4">
      <div className="max-w-md">
        <Mark className="h-8 text-blue" />
        <h1 className="mt-3 text-2xl font-semibold tracking-tight">{t.product}</h1>
        {why === undefined || why === '' ? null : (
          <p className="mt-3 text-sm text-amber">
            <Visible text={why} />
          </p>
        )}
        <p className="mt-3 text-ink-2">{t.signIn}</p>
        <p className="mt-3 text-sm text-ink-3">{keepsPage ? t.keepTab : t.otherTab}</p>
      </div>
    </main>
  );
}
