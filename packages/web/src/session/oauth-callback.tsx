import { createClient } from '@countersign/client';
import { type ReactElement, useEffect, useState } from 'react';
import { errorText } from '../data/error-text.js';
import { paths } from '../shell/paths.js';
import { Mark } from '../ui/signature.js';
import { ErrorLine } from '../text/error-line.js';
import { shellWords } from '../words/shell.js';
import { currentSession } from './session.js';
import { signedFetch } from './signed-fetch.js';

type Answer = Parameters<ReturnType<typeof createClient>['finishMcpSignIn']>[0];
type State = { kind: 'working' } | { kind: 'done'; server: string } | { kind: 'failed'; why: string };

/**
 * Where an authorization server sends the browser after a sign-in to an MCP server. The browser doesn't send the session
 * cookie with a cross-site redirect, so this page sends the parameters itself. A sign-in that a program started needs no session.
 */
export function OAuthCallback({ answer }: { answer: Answer }): ReactElement {
  const [state, setState] = useState<State>({ kind: 'working' });
  useEffect(() => {
    void finish(answer).then(setState);
  }, [answer]);
  return (
    <main className="flex h-full items-center justify-center p-4">
      <div className="max-w-md" aria-live="polite">
        <Mark className="h-8 text-blue" />
        <h1 className="mt-3 text-2xl font-semibold tracking-tight">{shellWords.product}</h1>
        {state.kind === 'working' ? <p className="mt-3 text-ink-2">{shellWords.signingIn}</p> : null}
        {state.kind === 'done' ? <p className="mt-3 text-ink-2">{shellWords.signedInTo(state.server)}</p> : null}
        {state.kind === 'failed' ? (
          <>
            <ErrorLine text={state.why} className="mt-3" />
            <p className="mt-3 text-sm">
              <a className="text-blue underline" href="/">
                {shellWords.backToApp}
              </a>
            </p>
          </>
        ) : null}
      </div>
    </main>
  );
}

async function finish(answer: Answer): Promise<State> {
  try {
    const client = createClient({ url: location.origin, fetch: signedFetch });
    const { world, server } = await client.finishMcpSignIn(answer);
    if (currentSession() !== undefined) location.replace(paths.page(world, 'servers'));
    return { kind: 'done', server };
  } catch (error) {
    return { kind: 'failed', why: errorText(error) };
  }
}

/** The answer in this page's URL, which is then removed from it: a code must not stay in the history. */
export function takeOAuthAnswer(): Answer | undefined {
  const callback = /^\/oauth\/callback\/([\w-]{1,100})$/.exec(location.pathname)?.[1];
  if (callback === undefined) return undefined;
  const parameters = new URLSearchParams(location.search);
  history.replaceState(null, '', location.pathname);
  const read = (name: string): string | undefined => parameters.get(name) ?? undefined;
  const [code, iss, error] = [read('code'), read('iss'), read('error')];
  return {
    state: read('state') ?? '-',
    callback,
    ...(code === undefined ? {} : { code }),
    ...(iss === undefined ? {} : { iss }),
    ...(error === undefined ? {} : { error: error.replaceAll(/[^\w.-]/g, '_').slice(0, 100) }),
  };
}
