import { createClient } from '@countersign/client';
import type { ReactElement } from 'react';
import { signWithPasskey } from '../passkeys/ceremony.js';
import { PasskeyFailure } from '../passkeys/passkey-failure.js';
import { errorText } from '../data/error-text.js';
import { useTask } from '../data/use-task.js';
import { ErrorLine } from '../text/error-line.js';
import { Button } from '../ui/button.js';
import { passkeyWords } from '../words/passkeys.js';
import { keepSession } from './session.js';

/** The browser offers the passkeys that it has for this server, so nobody types a name. */
export function PasskeySignIn(): ReactElement {
  const { isBusy, error, run } = useTask(explain);
  const signIn = (): Promise<unknown> =>
    run(async () => {
      const client = createClient({ url: location.origin });
      const passkey = await signWithPasskey(await client.passkeySignIn());
      const { session } = await client.openSession({ passkey });
      keepSession(session);
    });
  return (
    <div className="mt-4">
      <Button icon="lock" aria-disabled={isBusy} onClick={() => void signIn()}>
        {passkeyWords.signIn}
      </Button>
      <ErrorLine text={error} className="mt-2" />
    </div>
  );
}

function explain(error: unknown): string {
  const isCancelled = error instanceof PasskeyFailure && error.problem === 'cancelled';
  return isCancelled ? passkeyWords.signInCancelled : errorText(error);
}
