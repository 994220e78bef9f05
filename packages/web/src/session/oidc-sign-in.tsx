import { createClient } from '@countersign/client';
import { type ReactElement, useEffect, useState } from 'react';
import { useTask } from '../data/use-task.js';
import { ErrorLine } from '../text/error-line.js';
import { Button } from '../ui/button.js';
import { shellWords } from '../words/shell.js';
import { keepOidcAttempt } from './session.js';

/** "Sign in with NAME", if an OIDC provider is configured. */
export function OidcSignIn(): ReactElement | null {
  const [name, setName] = useState<string>();
  const { isBusy, error, run } = useTask();
  useEffect(() => {
    const client = createClient({ url: location.origin });
    // The other ways to sign in don't need it.
    client.signInWays().then(
      ({ oidc }) => setName(oidc?.name),
      () => undefined,
    );
  }, []);
  if (name === undefined) return null;
  const start = (): Promise<unknown> =>
    run(async () => {
      const { url, attempt } = await createClient({ url: location.origin }).startOidcSignIn();
      keepOidcAttempt(attempt);
      location.assign(url);
    });
  return (
    <div className="mt-4">
      <Button look="primary" disabled={isBusy} onClick={() => void start()}>
        {shellWords.signInWith(name)}
      </Button>
      <ErrorLine text={error} className="mt-2" />
    </div>
  );
}
