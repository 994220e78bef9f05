import type { ReactElement } from 'react';
import { Checkbox } from '../ui/field.js';
import { Visible } from '../ui/visible.js';

/** Says how far "for this chat" reaches before it is chosen (A5), and offers to make it narrower. */
export function ChatScope({
  toolName,
  agentName,
  pattern,
  narrow,
  onNarrow,
}: {
  toolName: string;
  agentName: string;
  pattern: string | undefined;
  narrow: boolean;
  onNarrow: (narrow: boolean) => void;
}): ReactElement {
  return (
    <div className="space-y-1 text-xs leading-snug text-ink-3">
      <p>
        “For this chat”: {narrow ? 'calls like this one' : 'any use'} of <code>{toolName}</code> by{' '}
        <bdi>{agentName}</bdi> in this chat, until it ends or you revoke it.
      </p>
      {pattern === undefined ? null : (
        <Checkbox
          checked={narrow}
          onChange={(event) => onNarrow(event.target.checked)}
          label={
            <span className="text-xs text-ink-2">
              only calls like{' '}
              <code className="[overflow-wrap:anywhere]">
                <Visible text={pattern} strict />
              </code>
            </span>
          }
        />
      )}
    </div>
  );
}
