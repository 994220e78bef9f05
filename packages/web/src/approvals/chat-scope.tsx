import { type ReactElement, useEffect, useRef } from 'react';
import { Checkbox } from '../ui/field.js';
import { Visible } from '../ui/visible.js';
import type { Found } from './always-form.js';
import { CoveredCalls } from './covered-calls.js';
import { t } from '../words/approvals.js';

/** Explains the scope of "for this chat" before it is chosen (A5), and offers a narrower one. */
export function ChatScope({
  toolName,
  agentName,
  pattern,
  narrow,
  onNarrow,
  found,
}: {
  toolName: string;
  agentName: string;
  pattern: string | undefined;
  narrow: boolean;
  onNarrow: (narrow: boolean) => void;
  found: Found;
}): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  // Don't focus the approve button: the key that opened this may still be held down.
  useEffect(() => box.current?.focus(), []);
  return (
    <div
      ref={box}
      tabIndex={-1}
      role="group"
      aria-label={t.approveForChat}
      className="space-y-2 text-[0.8125rem] leading-snug text-ink-2"
    >
      <p>{t.chatScope(toolName, agentName, narrow)}</p>
      {pattern === undefined ? null : (
        <Checkbox
          checked={narrow}
          onChange={(event) => onNarrow(event.target.checked)}
          label={
            <span className="text-xs text-ink-2">
              {t.onlyCallsLike}{' '}
              <code className="[overflow-wrap:anywhere]">
                <Visible text={pattern} strict />
              </code>
            </span>
          }
        />
      )}
      <div aria-live="polite">
        {found.kind === 'looking' ? <p className="text-ink-3">{t.findingWaiting}</p> : null}
        {found.kind === 'failed' ? <p className="text-red">{found.why}</p> : null}
        {found.kind === 'found' ? <CoveredCalls lines={found.matched.waiting} /> : null}
      </div>
    </div>
  );
}
