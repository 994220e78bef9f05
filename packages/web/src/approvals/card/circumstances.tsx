import {
  abandonedText,
  type ApprovalView,
  folderOf,
  lacksPasskey,
  maskedText,
  notEditableText,
  type Reader,
  sandboxText,
  signingLines,
  subagentText,
  toolText,
  whyText,
} from '@countersign/client';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { ClaimedContext } from '../../calls/claimed-context.js';
import { paths } from '../../shell/paths.js';
import { IconLine } from '../../text/icon-line.js';
import { Until } from '../../text/time.js';
import { Visible } from '../../text/visible.js';
import { approvalWords } from '../../words/approvals.js';

/** Where the call would run, why it needs approval, what is masked, and when it expires. */
export function Circumstances({
  approval,
  me,
  isEdited = false,
  onReveal,
}: {
  approval: ApprovalView;
  me: Reader | undefined;
  /** Set while the arguments are edited: the reason and the tool's message are about the original call. */
  isEdited?: boolean;
  /** Absent if nothing can be revealed anymore. */
  onReveal?: (() => void) | undefined;
}): ReactElement {
  const abandoned = abandonedText(approval);
  const notEditable = notEditableText(approval);
  const subagent = subagentText(approval);
  const masked = maskedText(approval);
  const said = isEdited ? undefined : toolText(approval);
  const why = isEdited ? approvalWords.editUnchecked : whyText(approval);
  const sandbox = sandboxText(approval.sandbox);
  const folder = folderOf(approval);
  const isWarning = sandbox.level === 'warning';
  const isConfined = sandbox.level === 'confined';
  return (
    <div className="space-y-1 text-[0.8125rem] leading-snug text-ink-2">
      {said === undefined ? null : (
        <p className="[overflow-wrap:anywhere]">
          {approvalWords.toolAsks} “<Visible text={said} strict />”
        </p>
      )}
      <IconLine icon="folder">
        {folder === undefined ? (
          approvalWords.inUnknownFolder
        ) : (
          <>
            {approvalWords.in}{' '}
            <code>
              <Visible text={folder} strict />
            </code>
          </>
        )}
      </IconLine>
      <IconLine
        icon={isWarning ? 'alert' : isConfined ? 'lock' : 'bolt'}
        look={isWarning ? 'font-medium text-amber' : undefined}
      >
        <Visible text={sandbox.words} strict />
      </IconLine>
      <IconLine icon="question">
        <Visible text={why} />
      </IconLine>
      <ClaimedContext approval={approval} />
      {notEditable === undefined ? null : <IconLine icon="edit">{notEditable}</IconLine>}
      {subagent === undefined ? null : <IconLine icon="agents">{subagent}</IconLine>}
      {abandoned === undefined ? null : (
        <IconLine icon="alert" look="font-medium text-amber">
          <Visible text={abandoned} strict />
        </IconLine>
      )}
      <SigningLines approval={approval} me={me} />
      {lacksPasskey(approval, me) ? (
        <p className="pl-5">
          <Link href={paths.account} className="font-medium text-blue underline">
            {approvalWords.addPasskey}
          </Link>
        </p>
      ) : null}
      {masked === undefined ? null : (
        <IconLine icon="eye">
          {masked}{' '}
          {onReveal === undefined ? null : (
            <button type="button" className="text-blue underline" onClick={onReveal}>
              {approvalWords.reveal}
            </button>
          )}
        </IconLine>
      )}
      {approval.expiresAt === undefined ? null : (
        <IconLine icon="clock" look="text-amber">
          {approvalWords.expires(<Until at={approval.expiresAt} />)}
        </IconLine>
      )}
    </div>
  );
}

/** Who must sign a call, or answer a question. */
export function SigningLines({
  approval,
  me,
}: {
  approval: Parameters<typeof signingLines>[0];
  me: Reader | undefined;
}): ReactElement {
  return (
    <>
      {signingLines(approval, me).map((line) => (
        <IconLine key={line} icon="agents" look="font-medium text-ink" quiet>
          <Visible text={line} strict />
        </IconLine>
      ))}
    </>
  );
}
