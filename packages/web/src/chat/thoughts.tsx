import { wordCount } from '@countersign/client';
import type { ReactElement } from 'react';
import { Visible } from '../ui/visible.js';
import { t } from '../words/chat.js';

/** What the model wrote before its answer, folded (P11). It is untrusted, so it is shown as plain text. */
export function Thoughts({ text, streams = false }: { text: string; streams?: boolean }): ReactElement {
  return (
    <details className="mb-1 text-[0.8125rem] text-ink-3">
      {/* A count that changes with every chunk would be read aloud again and again. */}
      <summary className="w-fit">{streams ? t.thinkingNow : t.thoughts(wordCount(text))}</summary>
      <p className="scroll-quiet mt-1 max-h-96 overflow-auto border-l-2 border-line pl-3 break-words whitespace-pre-wrap">
        <Visible text={text} />
      </p>
    </details>
  );
}
