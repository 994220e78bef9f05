import type { McpSignInStart } from '@countersign/protocol';
import { type ReactElement, useEffect, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useSaving } from '../form/use-saving.js';
import { Loading } from '../shell/frame.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { TextField } from '../form/field.js';
import { Visible } from '../text/visible.js';
import { serverWords } from '../words/servers.js';

/** The sign-in dialog for a remote server. Names the authorization server before the browser goes there. */
export function SignInServer({
  worldId,
  name,
  onClose,
}: {
  worldId: string;
  name: string;
  onClose: () => void;
}): ReactElement {
  const client = useClient();
  const saving = useSaving();
  const [started, setStarted] = useState<McpSignInStart>();
  const [problem, setProblem] = useState<string>();
  const [clientId, setClientId] = useState('');
  const [clientSecret, setClientSecret] = useState('');
  const { origin } = location;
  useEffect(() => {
    const leaving = new AbortController();
    client.startMcpSignIn(worldId, name, { origin }, { signal: leaving.signal }).then(setStarted, (error: unknown) => {
      if (!leaving.signal.aborted) setProblem(error instanceof Error ? error.message : serverWords.signInFailed);
    });
    return () => leaving.abort();
  }, [client, worldId, name, origin]);
  const send = async (): Promise<void> => {
    const secret = clientSecret === '' ? {} : { clientSecret };
    await saving.load(async () =>
      setStarted(await client.startMcpSignIn(worldId, name, { origin, clientId, ...secret })),
    );
  };
  return (
    <Dialog title={serverWords.signInTitle(name)} onClose={onClose}>
      {problem === undefined ? null : (
        <p role="alert" className="text-sm text-red [overflow-wrap:anywhere]">
          <Visible text={problem} />
        </p>
      )}
      {started === undefined && problem === undefined ? <Loading what={serverWords.theSignInPage} /> : null}
      {started?.kind === 'ready' ? (
        <>
          <p className="text-sm [overflow-wrap:anywhere]">
            {serverWords.signInLead} <strong>{<Visible text={hostOf(started.url)} strict />}</strong>.{' '}
            {serverWords.signInStored}
          </p>
          <div className="mt-4 flex justify-end gap-2">
            <Button onClick={onClose}>{serverWords.cancel}</Button>
            <Button look="primary" icon="key" onClick={() => location.assign(started.url)}>
              {serverWords.continueTo(hostOf(started.url))}
            </Button>
          </div>
        </>
      ) : null}
      {started?.kind === 'client-needed' ? (
        <form
          ref={saving.form}
          className="space-y-4"
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
        >
          <p className="text-sm [overflow-wrap:anywhere]">
            {serverWords.clientNeeded} <strong>{<Visible text={hostOf(started.issuer)} strict />}</strong>.{' '}
            {serverWords.redirectUrl}
          </p>
          <pre className="code text-[0.8125rem] whitespace-pre-wrap">{started.redirectUrl}</pre>
          <TextField
            label={serverWords.clientId}
            mono
            required
            value={clientId}
            error={saving.errorOf('clientId')}
            onChange={(event) => setClientId(event.target.value)}
          />
          <TextField
            label={serverWords.clientSecret}
            mono
            type="password"
            autoComplete="off"
            hint={serverWords.clientSecretHint}
            value={clientSecret}
            error={saving.errorOf('clientSecret')}
            onChange={(event) => setClientSecret(event.target.value)}
          />
          <div className="flex justify-end gap-2">
            <Button onClick={onClose}>{serverWords.cancel}</Button>
            <Button look="primary" type="submit" disabled={saving.busy}>
              {serverWords.next}
            </Button>
          </div>
        </form>
      ) : null}
    </Dialog>
  );
}

/** The server has checked the URL. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
