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
  toolText,
  whyText,
} from '@countersign/client';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { paths } from '../../shell/paths.js';
import { cx } from '../../ui/cx.js';
import { Icon } from '../../ui/icon.js';
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
      <p className="flex items-start gap-1.5">
        <Icon name="folder" className="mt-0.5 size-3.5 text-ink-3" />
        <span className="min-w-0 [overflow-wrap:anywhere]">
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
        </span>
      </p>
      <p className={cx('flex items-start gap-1.5', isWarning && 'font-medium text-amber')}>
        <Icon
          name={isWarning ? 'alert' : isConfined ? 'lock' : 'bolt'}
          className={cx('mt-0.5 size-3.5', !isWarning && 'text-ink-3')}
        />
        <span className="min-w-0 [overflow-wrap:anywhere]">
          <Visible text={sandbox.words} strict />
        </span>
      </p>
      <p className="flex items-start gap-1.5">
        <Icon name="question" className="mt-0.5 size-3.5 text-ink-3" />
        <span className="min-w-0 [overflow-wrap:anywhere]">
          <Visible text={why} />
        </span>
      </p>
      {notEditable === undefined ? null : (
        <p className="flex items-start gap-1.5">
          <Icon name="edit" className="mt-0.5 size-3.5 text-ink-3" />
          <span>{notEditable}</span>
        </p>
      )}
      {abandoned === undefined ? null : (
        <p className="flex items-start gap-1.5 font-medium text-amber">
          <Icon name="alert" className="mt-0.5 size-3.5" />
          <span className="min-w-0 [overflow-wrap:anywhere]">
            <Visible text={abandoned} strict />
          </span>
        </p>
      )}
      {signingLines(approval, me).map((line) => (
        <p key={line} className="flex items-start gap-1.5 font-medium text-ink">
          <Icon name="agents" className="mt-0.5 size-3.5 text-ink-3" />
          <span className="min-w-0 [overflow-wrap:anywhere]">
            <Visible text={line} strict />
          </span>
        </p>
      ))}
      {lacksPasskey(approval, me) ? (
        <p className="pl-5">
          <Link href={paths.account} className="font-medium text-blue underline">
            {approvalWords.addPasskey}
          </Link>
        </p>
      ) : null}
      {masked === undefined ? null : (
        <p className="flex items-start gap-1.5">
          <Icon name="eye" className="mt-0.5 size-3.5 text-ink-3" />
          <span>
            {masked}{' '}
            {onReveal === undefined ? null : (
              <button type="button" className="text-blue underline" onClick={onReveal}>
                {approvalWords.reveal}
              </button>
            )}
          </span>
        </p>
      )}
      {approval.expiresAt === undefined ? null : (
        <p className="flex items-start gap-1.5 text-amber">
          <Icon name="clock" className="mt-0.5 size-3.5" />
          <span>{approvalWords.expires(<Until at={approval.expiresAt} />)}</span>
        </p>
      )}
    </div>
  );
}
