import { mcpCauseFixes, mcpCauseText, needsSignIn, type McpFix } from '@countersign/client';
import type { McpServer } from '@countersign/protocol';
import { type ReactElement, type ReactNode, useId } from 'react';
import { Badge } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { Card } from '../ui/card.js';
import type { IconName } from '../ui/icon-paths.js';
import type { Tone } from '../ui/tone.js';
import { Visible } from '../text/visible.js';
import { ChangedTools } from './changed-tools.js';
import { hostOf } from './sign-in-server.js';
import { serverWords } from '../words/servers.js';

const STATES: Readonly<Record<McpServer['status'] | 'needs-sign-in', { words: string; tone: Tone; icon: IconName }>> = {
  off: { words: serverWords.status.off, tone: 'neutral', icon: 'ban' },
  idle: { words: serverWords.status.idle, tone: 'neutral', icon: 'clock' },
  starting: { words: serverWords.status.starting, tone: 'blue', icon: 'hourglass' },
  running: { words: serverWords.status.running, tone: 'green', icon: 'check' },
  failed: { words: serverWords.status.failed, tone: 'red', icon: 'alert' },
  'needs-sign-in': { words: serverWords.status.needsSignIn, tone: 'amber', icon: 'key' },
};

export interface ServerActions {
  onToggle: () => void;
  onTest: () => void;
  onRestart: () => void;
  onEdit: () => void;
  onLog: () => void;
  onContext: () => void;
  onTrust: () => void;
  onAccept: () => void;
  onRemove: () => void;
  onFix: (fix: McpFix) => void;
  onSignOut: () => void;
}

export function ServerCard({
  server,
  testing,
  agents,
  actions,
}: {
  server: McpServer;
  /** The link to give its tools to an agent, if none has them. */
  agents: ReactNode;
  testing: boolean;
  actions: ServerActions;
}): ReactElement {
  const state = STATES[needsSignIn(server) ? 'needs-sign-in' : server.status];
  const nameId = useId();
  const small = { size: 'small', 'aria-describedby': nameId } as const;
  return (
    <Card className="space-y-2 px-4 py-3 text-sm">
      <div className="flex flex-wrap items-center gap-2">
        <span id={nameId} data-landing="always" className="font-semibold">
          {server.name}
        </span>
        <Badge tone={state.tone} icon={state.icon}>
          {state.words}
        </Badge>
        {server.trusted ? <Badge icon="policy">{serverWords.trusted}</Badge> : null}
        {server.network === true ? <Badge icon="globe">{serverWords.network}</Badge> : null}
        {typeof server.network === 'object' ? (
          <Badge icon="globe">{serverWords.limitedNetwork(server.network.hosts)}</Badge>
        ) : null}
      </div>
      <p className="font-mono text-[0.8125rem] text-ink-2 [overflow-wrap:anywhere]">
        <Visible text={server.url ?? [server.command ?? '', ...(server.args ?? [])].join(' ')} strict />
      </p>
      <Facts server={server} />
      <SignedIn server={server} />
      <div role="status" className="space-y-2 empty:hidden">
        {/* The likely cause comes first: what the program printed may be long. */}
        <Cause server={server} describedBy={nameId} onFix={actions.onFix} />
        {/* The cause above already reports a missing sign-in. */}
        {server.error === undefined || server.cause?.code === 'sign-in' ? null : (
          <p className="text-red [overflow-wrap:anywhere]">
            <Visible text={server.error} />
          </p>
        )}
      </div>
      <ChangedTools changed={server.changed} />
      {server.changed.length === 0 ? null : (
        <Button {...small} onClick={actions.onAccept}>
          {serverWords.review}
        </Button>
      )}
      {server.tools.length === 0 ? null : (
        <p className="text-[0.8125rem] text-ink-3 [overflow-wrap:anywhere]">{server.tools.join(', ')}</p>
      )}
      {agents}
      <div className="flex flex-wrap gap-2 pt-1">
        {server.enabled ? (
          <Button {...small} disabled={testing} onClick={actions.onTest}>
            {testing ? serverWords.testing : serverWords.test}
          </Button>
        ) : null}
        <Button {...small} onClick={actions.onEdit}>
          {serverWords.edit}
        </Button>
        <Button {...small} onClick={actions.onLog}>
          {serverWords.log}
        </Button>
        {server.enabled ? (
          <Button {...small} onClick={actions.onContext}>
            {serverWords.context}
          </Button>
        ) : null}
        {server.enabled ? (
          <Button {...small} onClick={actions.onRestart}>
            {serverWords.restart}
          </Button>
        ) : null}
        {server.signIn?.state === 'signed-in' ? (
          <Button {...small} onClick={actions.onSignOut}>
            {serverWords.signOut}
          </Button>
        ) : null}
        <Button {...small} onClick={actions.onToggle}>
          {server.enabled ? serverWords.turnOff : serverWords.turnOn}
        </Button>
        <Button {...small} onClick={actions.onTrust}>
          {server.trusted ? serverWords.stopTrusting : serverWords.trust}
        </Button>
        <Button {...small} look="danger" onClick={actions.onRemove}>
          {serverWords.remove}
        </Button>
      </div>
    </Card>
  );
}

/** Names of stored values, and folders that the server may read. */
function Facts({ server }: { server: McpServer }): ReactElement | null {
  const names = [...(server.env ?? []), ...(server.headers ?? [])];
  const folders = server.folders ?? [];
  if (names.length === 0 && folders.length === 0) return null;
  return (
    <p className="text-[0.8125rem] text-ink-2 [overflow-wrap:anywhere]">
      {names.length === 0 ? null : (
        <>
          {server.transport === 'stdio' ? serverWords.environment : serverWords.headers}:{' '}
          <Visible text={names.join(', ')} strict />.{' '}
        </>
      )}
      {folders.length === 0 ? null : (
        <>
          {serverWords.mayRead} <Visible text={folders.join(', ')} strict />.
        </>
      )}
    </p>
  );
}

/** Where a person is signed in, or why that failed. */
function SignedIn({ server: { signIn } }: { server: McpServer }): ReactElement | null {
  if (signIn?.error !== undefined) {
    return (
      <p className="text-red [overflow-wrap:anywhere]">
        <Visible text={signIn.error} />
      </p>
    );
  }
  if (signIn?.state !== 'signed-in' || signIn.issuer === undefined) return null;
  return (
    <p className="text-[0.8125rem] text-ink-2 [overflow-wrap:anywhere]">
      {serverWords.signedIn} <Visible text={hostOf(signIn.issuer)} strict />.
    </p>
  );
}

function wordsFor(fix: McpFix): { words: string; icon: IconName } {
  switch (fix.kind) {
    case 'network':
      return { words: serverWords.allowNetwork, icon: 'globe' };
    case 'hosts':
      return { words: serverWords.allowHosts(fix.added), icon: 'globe' };
    case 'rule':
      return { words: serverWords.addRule, icon: 'globe' };
    case 'sign-in':
      return { words: serverWords.signIn, icon: 'key' };
  }
}

function Cause({
  server,
  describedBy,
  onFix,
}: {
  server: McpServer;
  describedBy: string;
  onFix: (fix: McpFix) => void;
}): ReactElement | null {
  if (server.cause === undefined) return null;
  const fixes = mcpCauseFixes(server.cause).map((fix) => ({ fix, ...wordsFor(fix) }));
  return (
    <div className="space-y-2 rounded-md border border-line bg-sunken px-3 py-2">
      <p className="[overflow-wrap:anywhere]">
        <Visible text={mcpCauseText(server.cause)} />
      </p>
      {fixes.length === 0 ? null : (
        <div className="flex flex-wrap gap-2">
          {fixes.map(({ fix, words, icon }) => (
            <Button key={words} size="small" icon={icon} aria-describedby={describedBy} onClick={() => onFix(fix)}>
              {words}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}
