import { chatScopeText } from '@countersign/client';
import { type ReactElement, useEffect, useRef } from 'react';
import { Checkbox } from '../../form/field.js';
import { Visible } from '../../text/visible.js';
import { type MatchState, WaitingCount } from './always-form.js';
import { approvalWords } from '../../words/approvals.js';

/** Explains the scope of "for this chat" before it is chosen (CALL5), and offers a wider one if there is one. */
export function ChatScope({
  toolName,
  agentName,
  pattern,
  folder,
  wide,
  onWide,
  found,
}: {
  toolName: string;
  agentName: string;
  pattern: string;
  folder: string | undefined;
  wide: boolean;
  onWide: ((wide: boolean) => void) | undefined;
  found: MatchState;
}): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  // Don't focus the approve button: the key that opened this may still be held down.
  useEffect(() => box.current?.focus(), []);
  return (
    <div
      ref={box}
      tabIndex={-1}
      role="group"
      aria-label={approvalWords.approveForChat}
      className="space-y-2 text-[0.8125rem] leading-snug text-ink-2"
    >
      <p>
        {approvalWords.chatScope}{' '}
        {pattern.split('\n').map((line) => (
          <code key={line} className="mr-1.5 [overflow-wrap:anywhere]">
            <Visible text={chatScopeText(toolName, line, folder)} strict />
          </code>
        ))}
        {approvalWords.by} <bdi>{agentName}</bdi>. {approvalWords.chatScopeEnds}
      </p>
      {onWide === undefined ? null : (
        <Checkbox
          checked={wide}
          onChange={(event) => onWide(event.target.checked)}
          label={<span className="text-xs text-ink-2">{approvalWords.anyCall(toolName)}</span>}
        />
      )}
      <div aria-live="polite">
        {found.kind === 'looking' ? <p className="text-ink-3">{approvalWords.findingWaiting}</p> : null}
        {found.kind === 'failed' ? <p className="text-red">{found.why}</p> : null}
        {found.kind === 'found' ? <WaitingCount count={found.matched.waiting.length} /> : null}
      </div>
    </div>
  );
}
