import type { Agent } from '@countersign/protocol';
import type { LiveStream } from '@countersign/client';
import { type ReactElement, useDeferredValue } from 'react';
import { Markdown } from '../text/markdown.js';
import { Thoughts } from './thoughts.js';
import { Spoken } from './spoken.js';
import { chatWords } from '../../words/chat.js';

/** An answer while it streams. The finished message replaces it in the same place and form. */
export function LiveRow({ stream, agents }: { stream: LiveStream; agents: readonly Agent[] }): ReactElement {
  // Chunks may arrive faster than they can be rendered; only the newest matters.
  const text = useDeferredValue(stream.text);
  const thinking = useDeferredValue(stream.thinking);
  const agentId = stream.agentId ?? agents.find(({ name }) => name === stream.agentName)?.id ?? stream.agentName;
  return (
    <Spoken speaker={{ kind: 'agent', agentId }} agents={agents}>
      {thinking === '' ? null : <Thoughts messageId={stream.messageId} text={thinking} streams={text === ''} />}
      {stream.missing > 0 ? <p className="text-ink-3">…</p> : null}
      {text === '' ? <Thinking /> : <Markdown text={text} />}
    </Spoken>
  );
}

function Thinking(): ReactElement {
  return (
    <p className="flex h-[1.6em] items-center gap-1 text-ink-3">
      <span className="sr-only">{chatWords.thinking}</span>
      {[0, 1, 2].map((index) => (
        <span
          key={index}
          aria-hidden="true"
          className="size-1.5 animate-breathe rounded-full bg-current"
          style={{ animationDelay: `${index * 160}ms` }}
        />
      ))}
    </p>
  );
}
