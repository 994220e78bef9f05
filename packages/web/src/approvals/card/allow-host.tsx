import {
  type Answer,
  type ApprovalView,
  argumentsWithHosts,
  hostRule,
  hostsForNextRun,
  hostsToAllow,
} from '@countersign/client';
import { type ReactElement, useState } from 'react';
import { useClient, useWorld } from '../../data/connection.js';
import { useMay } from '../../data/me.js';
import { Button } from '../../ui/button.js';
import { attempt } from '../../notices/toast.js';
import { addRules } from '../../settings/add-rules.js';
import { Visible } from '../../text/visible.js';
import { approvalWords } from '../../words/approvals.js';

/** Offers the hosts that a command tried to reach without network: for this call, which is then shown again, or for all commands of the world. */
export function AllowHost({
  approval,
  disabled,
  onAnswer,
}: {
  approval: ApprovalView;
  disabled: boolean;
  onAnswer: (answer: Answer) => void;
}): ReactElement | null {
  const hosts = hostsToAllow(approval);
  if (hosts.length === 0) return null;
  const args = argumentsWithHosts(approval.arguments, hosts);
  return (
    <div role="group" aria-label={approvalWords.network} className="flex flex-wrap items-center gap-2 text-[0.8125rem]">
      <Button
        size="small"
        icon="globe"
        disabled={disabled}
        onClick={() => onAnswer({ decision: 'approve', scope: 'once', arguments: args })}
      >
        <Visible text={approvalWords.allowOnce(hosts.join(', '))} strict />
      </Button>
      <AllowInWorld hosts={hosts} words={approvalWords.hostsInWorld} disabled={disabled} />
      <p className="basis-full text-ink-3">{approvalWords.allowOnceHint}</p>
    </div>
  );
}

/** Offers each host that a run was refused for the next runs of the world. Nothing changes for this one. */
export function AllowNextRun({
  approval,
  disabled,
}: {
  approval: ApprovalView;
  disabled: boolean;
}): ReactElement | null {
  const hosts = hostsForNextRun(approval);
  if (hosts.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-2 text-[0.8125rem]">
      {hosts.map((host) => (
        <AllowInWorld key={host} hosts={[host]} words={approvalWords.hostInNextRuns(host)} disabled={disabled} />
      ))}
    </div>
  );
}

function AllowInWorld({
  hosts,
  words,
  disabled,
}: {
  hosts: readonly string[];
  words: { readonly open: string; readonly means: string; readonly added: string };
  disabled: boolean;
}): ReactElement | null {
  const client = useClient();
  const worldId = useWorld((state) => state.worldId);
  const mayAdd = useMay('admin', worldId);
  const [isOpen, setOpen] = useState(false);
  const [isSending, setSending] = useState(false);
  if (!mayAdd) return null;
  const rules = hosts.map(hostRule);
  if (!isOpen) {
    return (
      <Button size="small" disabled={disabled} onClick={() => setOpen(true)}>
        {words.open}
      </Button>
    );
  }
  const add = async (): Promise<void> => {
    setSending(true);
    if (await attempt('allow-host', addRules(client, worldId, rules), words.added)) setOpen(false);
    setSending(false);
  };
  return (
    <div className="basis-full space-y-1.5 rounded-md bg-amber-soft px-2 py-1.5">
      <p>
        {words.means} <code>{rules.join(' · ')}</code>
      </p>
      <div className="flex gap-2">
        <Button size="small" disabled={isSending} onClick={() => setOpen(false)}>
          {approvalWords.cancel}
        </Button>
        <Button size="small" look="primary" disabled={disabled || isSending} onClick={() => void add()}>
          {approvalWords.addHostRule}
        </Button>
      </div>
    </div>
  );
}
