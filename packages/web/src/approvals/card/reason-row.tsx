import { type ReactElement, useEffect, useId, useRef } from 'react';
import { Button } from '../../ui/button.js';
import { approvalWords } from '../../words/approvals.js';

/** A field for the reason for a denial. The agent sees the reason. */
export function ReasonRow({
  reason,
  mayDeny,
  onReason,
  onDeny,
  onRequestChanges,
}: {
  reason: string;
  mayDeny: boolean;
  onReason: (reason: string) => void;
  onDeny: () => void;
  /** Denies with this text as what the agent should do instead. */
  onRequestChanges?: (() => void) | undefined;
}): ReactElement {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <div className="flex gap-1.5">
      <label htmlFor={id} className="sr-only">
        {approvalWords.reason}
      </label>
      <input
        ref={field}
        id={id}
        type="text"
        value={reason}
        maxLength={3900}
        placeholder={approvalWords.reasonHint}
        onChange={(event) => onReason(event.target.value)}
        onKeyDown={(event) => {
          // Enter denies here, because the text is a reason against the call.
          if (event.nativeEvent.isComposing || event.repeat) return;
          if (event.key === 'Enter' && mayDeny && reason.trim() !== '') onDeny();
        }}
        className="h-9 w-full min-w-0 rounded-md border border-line-2 bg-surface px-3 text-sm hover:border-ink-3"
      />
      {onRequestChanges === undefined ? null : (
        <Button className="shrink-0" disabled={!mayDeny || reason.trim() === ''} onClick={onRequestChanges}>
          {approvalWords.requestChanges}
        </Button>
      )}
    </div>
  );
}
