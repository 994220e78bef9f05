import { wordCount } from '@countersign/client';
import { type ReactElement, useState } from 'react';
import { Visible } from '../../text/visible.js';
import { chatWords } from '../../words/chat.js';

/** Messages whose thinking a person has opened. The finished message replaces the streaming one, and must not close it. */
const opened = new Set<string>();

/** What the model wrote before its answer, folded (MODEL11). It is untrusted, so it is shown as plain text. */
export function Thoughts({
  messageId,
  text,
  streams = false,
}: {
  messageId: string;
  text: string;
  streams?: boolean;
}): ReactElement {
  const [isOpen, setIsOpen] = useState(() => opened.has(messageId));
  return (
    <details
      className="mb-1 text-[0.8125rem] text-ink-3"
      open={isOpen}
      onToggle={({ currentTarget }) => {
        // Removing the element closes nothing; only a person does.
        if (!currentTarget.isConnected) return;
        setIsOpen(currentTarget.open);
        if (currentTarget.open) opened.add(messageId);
        else opened.delete(messageId);
      }}
    >
      {/* A count that changes with every chunk would be read aloud again and again. */}
      <summary className="w-fit">{streams ? chatWords.thinkingNow : chatWords.thoughts(wordCount(text))}</summary>
      <p className="scroll-quiet mt-1 max-h-96 overflow-auto border-l-2 border-line pl-3 break-words whitespace-pre-wrap">
        <Visible text={text} />
      </p>
    </details>
  );
}
