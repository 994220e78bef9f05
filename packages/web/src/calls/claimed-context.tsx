import { type ApprovalView, contextTexts } from '@countersign/client';
import type { ReactElement } from 'react';
import { IconLine } from '../text/icon-line.js';
import { Visible } from '../text/visible.js';

/** What the program that proposed the call says about its session, quoted as its claim. */
export function ClaimedContext({
  approval,
}: {
  approval: Pick<ApprovalView, 'sandbox' | 'claimedContext'>;
}): ReactElement {
  return (
    <>
      {contextTexts(approval).map(({ lead, quote }) => (
        <IconLine key={lead} icon="agents" look="text-[0.8125rem] text-ink-3">
          <Visible text={lead} strict /> “<Visible text={quote} strict />”
        </IconLine>
      ))}
    </>
  );
}
