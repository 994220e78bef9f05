import { createClient } from '@countersign/client';
import { type ReactElement, useEffect, useState } from 'react';
import { Button } from '../ui/button.js';
import { Visible } from '../text/visible.js';
import { shellWords } from '../words/shell.js';
import { keepOidcAttempt } from './session.js';

/** "Sign in with NAME", if an OIDC provider is configured. */
export function OidcSignIn(): ReactElement | null {
  const [name, setName] = useState<string>();
  const [error, setError] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  useEffect(() => {
    const client = createClient({ url: location.origin });
    // The other ways to sign in don't need it.
    client.signInWays().then(
      ({ oidc }) => setName(oidc?.name),
      () => undefined,
    );
  }, []);
  if (name === undefined) return null;
  const start = async (): Promise<void> => {
    setIsBusy(true);
    setError(undefined);
    try {
      const { url, attempt } = await createClient({ url: location.origin }).startOidcSignIn();
      keepOidcAttempt(attempt);
      location.assign(url);
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : shellWords.signInFailed);
      setIsBusy(false);
    }
  };
  return (
    <div className="mt-4">
      <Button look="primary" disabled={isBusy} onClick={() => void start()}>
        {shellWords.signInWith(name)}
      </Button>
      {error === undefined ? null : (
        <p role="alert" className="mt-2 text-sm text-red [overflow-wrap:anywhere]">
          <Visible text={error} />
        </p>
      )}
    </div>
  );
}
