import { createClient } from '@countersign/client';
import { type ReactElement, useState } from 'react';
import { signWithPasskey } from '../passkeys/ceremony.js';
import { PasskeyFailure } from '../passkeys/passkey-failure.js';
import { Button } from '../ui/button.js';
import { Visible } from '../text/visible.js';
import { passkeyWords } from '../words/passkeys.js';
import { keepSession } from './session.js';

/** The browser offers the passkeys that it has for this server, so nobody types a name. */
export function PasskeySignIn(): ReactElement {
  const [error, setError] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const signIn = async (): Promise<void> => {
    if (isBusy) return;
    setIsBusy(true);
    setError(undefined);
    try {
      const client = createClient({ url: location.origin });
      const passkey = await signWithPasskey(await client.passkeySignIn());
      const { session } = await client.openSession({ passkey });
      keepSession(session);
    } catch (failure) {
      const isCancelled = failure instanceof PasskeyFailure && failure.problem === 'cancelled';
      setError(
        isCancelled
          ? passkeyWords.signInCancelled
          : failure instanceof Error
            ? failure.message
            : passkeyWords.problems.failed,
      );
      setIsBusy(false);
    }
  };
  return (
    <div className="mt-4">
      <Button icon="lock" aria-disabled={isBusy} onClick={() => void signIn()}>
        {passkeyWords.signIn}
      </Button>
      {error === undefined ? null : (
        <p role="alert" className="mt-2 text-[0.8125rem] text-red [overflow-wrap:anywhere]">
          <Visible text={error} />
        </p>
      )}
    </div>
  );
}
