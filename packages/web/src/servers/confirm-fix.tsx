import type { McpFix } from '@countersign/client';
import type { ReactElement, ReactNode } from 'react';
import { Confirm } from '../form/confirm.js';
import { serverWords } from '../words/servers.js';

/** Says what a fix would allow, before it is applied. */
export function ConfirmFix({
  server,
  fix,
  onCancel,
  onConfirm,
}: {
  server: string;
  fix: Exclude<McpFix, { kind: 'sign-in' }>;
  onCancel: () => void;
  onConfirm: () => void;
}): ReactElement {
  const { action, text } = wordsFor(server, fix);
  return (
    <Confirm title={action} action={action} look="primary" icon="globe" onConfirm={onConfirm} onClose={onCancel}>
      <p>{text}</p>
      {fix.kind === 'rule' ? <pre className="code text-[0.8125rem] whitespace-pre-wrap">{fix.rule}</pre> : null}
    </Confirm>
  );
}

function wordsFor(server: string, fix: Exclude<McpFix, { kind: 'sign-in' }>): { action: string; text: ReactNode } {
  switch (fix.kind) {
    case 'network':
      return { action: serverWords.allowNetwork, text: serverWords.allowNetworkText(server) };
    case 'hosts':
      return { action: serverWords.allowHosts(fix.added), text: serverWords.allowHostsText(server, fix.hosts) };
    case 'rule':
      return { action: serverWords.addRule, text: serverWords.addRuleText(server) };
  }
}
