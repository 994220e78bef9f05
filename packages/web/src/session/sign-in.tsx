import { createClient } from '@countersign/client';
import { type ReactElement, useState } from 'react';
import { useTask } from '../data/use-task.js';
import { Form } from '../form/form.js';
import { useAccount } from '../data/me.js';
import { Button } from '../ui/button.js';
import { TextField } from '../form/field.js';
import { Mark } from '../ui/signature.js';
import { Visible } from '../text/visible.js';
import { shellWords } from '../words/shell.js';
import { OidcSignIn } from './oidc-sign-in.js';
import { PasskeySignIn } from './passkey-sign-in.js';
import { keepSession } from './session.js';

/** Shown if there is no session. `keepsPage`: the page behind it is kept, with any unsaved input. */
export function SignIn({ why, keepsPage }: { why?: string | undefined; keepsPage: boolean }): ReactElement {
  const account = useAccount();
  // Others were invited, and usually have no terminal on the server's machine.
  const hasTerminal = account === undefined || account.role === 'owner';
  return (
    <main className="flex h-full items-center justify-center overflow-y-auto p-4">
      <div className="max-w-md">
        <Mark className="h-8 text-blue" />
        <h1 className="mt-3 text-2xl font-semibold tracking-tight">{shellWords.product}</h1>
        {why === undefined || why === '' ? null : (
          <p className="mt-3 text-sm text-amber">
            <Visible text={why} />
          </p>
        )}
        <OidcSignIn />
        {hasTerminal ? <p className="mt-3 text-ink-2">{shellWords.signIn}</p> : null}
        <p className="mt-3 text-ink-2">{hasTerminal ? shellWords.signInInvited : shellWords.signInAgain}</p>
        <PasskeySignIn />
        <TokenForm />
        {keepsPage ? <p className="mt-3 text-sm text-ink-3">{shellWords.keepTab}</p> : null}
      </div>
    </main>
  );
}

/** The token is exchanged for a session and not kept. */
function TokenForm(): ReactElement {
  const [token, setToken] = useState('');
  const { isBusy, error, setError, run } = useTask();
  const submit = (): unknown =>
    token.trim() === ''
      ? setError(shellWords.noToken)
      : run(async () => {
          const { session } = await createClient({ url: location.origin }).openSession({ token: token.trim() });
          keepSession(session);
        });
  return (
    <Form className="mt-4 space-y-3" onSubmit={submit} noValidate>
      <TextField
        label={shellWords.token}
        hint={shellWords.tokenHint}
        error={error}
        type="password"
        autoComplete="off"
        spellCheck={false}
        mono
        value={token}
        onChange={({ target }) => {
          setToken(target.value);
          setError(undefined);
        }}
      />
      <Button look="primary" type="submit" disabled={isBusy}>
        {shellWords.signInButton}
      </Button>
    </Form>
  );
}
