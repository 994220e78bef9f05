import type { McpSignInStart } from '@countersign/protocol';
import { type ReactElement, useEffect, useState } from 'react';
import { useClient } from '../data/connection.js';
import { useSaving } from '../form/use-saving.js';
import { Loading } from '../shell/frame.js';
import { errorText } from '../data/error-text.js';
import { Form } from '../form/form.js';
import { useFields } from '../form/use-fields.js';
import { ErrorLine } from '../text/error-line.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { TextField } from '../form/field.js';
import { Visible } from '../text/visible.js';
import type { ServerDialogProps } from './use-server.js';
import { serverWords } from '../words/servers.js';

/** The sign-in dialog for a remote server. Names the authorization server before the browser goes there. */
export function SignInServer({ worldId, name, onClose }: ServerDialogProps): ReactElement {
  const client = useClient();
  const saving = useSaving();
  const [started, setStarted] = useState<McpSignInStart>();
  const [problem, setProblem] = useState<string>();
  const { values, text } = useFields(saving, () => ({ clientId: '', clientSecret: '' }));
  const { origin } = location;
  useEffect(() => {
    const leaving = new AbortController();
    client.startMcpSignIn(worldId, name, { origin }, { signal: leaving.signal }).then(setStarted, (error: unknown) => {
      if (!leaving.signal.aborted) setProblem(errorText(error));
    });
    return () => leaving.abort();
  }, [client, worldId, name, origin]);
  const send = async (): Promise<void> => {
    const { clientId, clientSecret } = values;
    const secret = clientSecret === '' ? {} : { clientSecret };
    await saving.load(async () =>
      setStarted(await client.startMcpSignIn(worldId, name, { origin, clientId, ...secret })),
    );
  };
  return (
    <Dialog title={serverWords.signInTitle(name)} onClose={onClose}>
      <ErrorLine text={problem} />
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
        <Form saving={saving} submit={serverWords.next} onCancel={onClose} onSubmit={send}>
          <p className="text-sm [overflow-wrap:anywhere]">
            {serverWords.clientNeeded} <strong>{<Visible text={hostOf(started.issuer)} strict />}</strong>.{' '}
            {serverWords.redirectUrl}
          </p>
          <pre className="code text-[0.8125rem] whitespace-pre-wrap">{started.redirectUrl}</pre>
          <TextField label={serverWords.clientId} mono required {...text('clientId')} />
          <TextField
            label={serverWords.clientSecret}
            mono
            type="password"
            autoComplete="off"
            hint={serverWords.clientSecretHint}
            {...text('clientSecret')}
          />
        </Form>
      ) : null}
    </Dialog>
  );
}

/** The server has checked the URL. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
