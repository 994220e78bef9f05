import { type ReactElement, useId } from 'react';
import { Button } from '../ui/button.js';

/** Deny, first in every state of a card, with room for a reason that the agent is told. */
export function DenyRow({
  reason,
  disabled,
  onReason,
  onDeny,
}: {
  reason: string;
  disabled: boolean;
  onReason: (reason: string) => void;
  onDeny: () => void;
}): ReactElement {
  const id = useId();
  return (
    <div className="flex gap-2">
      <Button look="danger" icon="ban" disabled={disabled} onClick={onDeny}>
        Deny
      </Button>
      <label htmlFor={id} className="sr-only">
        Reason
      </label>
      <input
        id={id}
        type="text"
        value={reason}
        maxLength={4000}
        placeholder="Why not? The agent is told."
        onChange={(event) => onReason(event.target.value)}
        onKeyDown={(event) => {
          // Enter here denies: the words are a reason against, never for.
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Enter' && !disabled && reason.trim() !== '') onDeny();
        }}
        className="h-9 min-w-0 flex-1 rounded-md border border-line-2 bg-surface px-3 text-sm hover:border-ink-3"
      />
    </div>
  );
}
