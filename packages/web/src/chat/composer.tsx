import { complete, matching, type Mention, mentionAt, whoAnswers } from '@countersign/client';
import type { Agent } from '@countersign/protocol';
import {
  type KeyboardEvent,
  type ReactElement,
  useDeferredValue,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useDraft, writeDraft } from '../data/drafts.js';
import { TABLET, useMedia } from '../shell/use-media.js';
import { Avatar } from '../ui/avatar.js';
import { Button } from '../ui/button.js';
import { cx } from '../ui/cx.js';
import { AttachButton, FileList, useChosenFiles } from './attached-files.js';
import { InsertContext } from './insert-context.js';
import { composerWords } from '../words/composer.js';

export interface ComposerProps {
  /** Includes inactive agents: they can't be mentioned, but are needed to explain why nobody answers. */
  agents: readonly Agent[];
  mainAgent: string | undefined;
  worldName: string;
  draftKey: string;
  suggestions: readonly string[];
  /** Whether suggestions float above the content, so that nothing moves when they disappear. */
  floating?: boolean;
  /** Disables sending while the first message of the chat is being sent. */
  busy?: boolean;
  /** Resolves to false if nothing was sent. The files then stay attached. */
  onSend: (content: string, files: readonly File[]) => Promise<boolean>;
}

/** The message field. Enter sends, Shift+Enter starts a new line, and `@` at the start of a line mentions an agent. */
export function Composer({
  agents,
  mainAgent,
  worldName,
  draftKey,
  suggestions,
  floating = false,
  busy = false,
  onSend,
}: ComposerProps): ReactElement {
  const text = useDraft(draftKey);
  const [mention, setMention] = useState<Mention>();
  const [chosen, setChosen] = useState(0);
  const box = useRef<HTMLTextAreaElement>(null);
  const cursor = useRef<number>(undefined);
  const isWide = useMedia(TABLET);
  const attached = useChosenFiles();
  const [isUploading, setUploading] = useState(false);
  const id = useId();
  const listId = useId();
  const active = agents.filter((agent) => agent.active);
  const offers = mention === undefined ? [] : matching(active, mention.typed);
  const open = offers.length > 0;

  useLayoutEffect(() => {
    const area = box.current;
    if (area === null) return;
    area.style.height = 'auto';
    area.style.height = `${Math.min(area.scrollHeight, 240)}px`;
    if (cursor.current !== undefined) area.setSelectionRange(cursor.current, cursor.current);
    cursor.current = undefined;
  }, [text]);

  const write = (next: string): void => writeDraft(draftKey, next);
  const look = (area: HTMLTextAreaElement): void => {
    setMention(mentionAt(area.value, area.selectionStart));
    setChosen(0);
  };
  const take = (agent: Agent): void => {
    if (mention === undefined) return;
    const done = complete(text, box.current?.selectionStart ?? text.length, mention, agent.name);
    cursor.current = done.cursor;
    write(done.text);
    setMention(undefined);
    box.current?.focus();
  };
  const send = (content: string): void => {
    const { files } = attached;
    if ((content.trim() === '' && files.length === 0) || busy || isUploading) return;
    // Sending a suggestion doesn't clear what the person has typed.
    const isTyped = content === text;
    if (isTyped && files.length === 0) write('');
    setMention(undefined);
    setUploading(files.length > 0);
    const said = content.trim() === '' ? files.map(({ name }) => name).join(', ') : content;
    void onSend(said, files).then((isSent) => {
      setUploading(false);
      if (!isSent || files.length === 0) return;
      attached.clear();
      if (isTyped) write('');
    });
    box.current?.focus();
  };

  const fix = (fixed: string): void => {
    cursor.current = fixed.length;
    write(fixed);
    box.current?.focus();
  };

  const insert = (added: string): void => {
    const [start, end] = [box.current?.selectionStart ?? text.length, box.current?.selectionEnd ?? text.length];
    const [before, after] = [text.slice(0, start), text.slice(end)];
    // On lines of its own: a resource's code block, and a mention in a prompt, must start a line.
    const between = before === '' || before.endsWith('\n') ? '' : '\n\n';
    cursor.current = before.length + between.length + added.length;
    write(before + between + added + after);
    box.current?.focus();
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    // During text composition, Enter belongs to the input method.
    if (event.nativeEvent.isComposing) return;
    const agent = offers[chosen];
    if (open && agent !== undefined) {
      if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
        event.preventDefault();
        setChosen((before) => (before + (event.key === 'ArrowDown' ? 1 : offers.length - 1)) % offers.length);
        return;
      }
      if (event.key === 'Tab' || (event.key === 'Enter' && !isWhole(active, mention))) {
        event.preventDefault();
        take(agent);
        return;
      }
      if (event.key === 'Escape') {
        event.preventDefault();
        setMention(undefined);
        return;
      }
    }
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      send(text);
    }
  };

  return (
    <div className="relative mx-auto w-full max-w-[56rem]">
      {suggestions.length === 0 ? null : (
        <div
          className={cx('flex flex-wrap gap-2', floating ? 'absolute bottom-full left-0 pb-2' : 'mb-2')}
          role="group"
          aria-label={composerWords.suggestions}
        >
          {suggestions.map((suggestion) => (
            <button
              key={suggestion}
              type="button"
              disabled={busy}
              onClick={() => send(suggestion)}
              className="rounded-full border border-line-2 bg-surface px-3 py-1.5 text-sm text-ink-2 hover:border-blue hover:text-blue"
            >
              {suggestion}
            </button>
          ))}
        </div>
      )}
      <div className="relative">
        {open ? (
          <ul
            id={listId}
            role="listbox"
            aria-label={composerWords.agents}
            className="absolute bottom-full left-0 z-20 mb-1 w-64 rounded-lg border border-line bg-raised p-1 shadow-card"
          >
            {offers.map((agent, index) => (
              <li
                key={agent.id}
                id={`${listId}-${index}`}
                role="option"
                aria-selected={index === chosen}
                onMouseDown={(event) => {
                  event.preventDefault();
                  take(agent);
                }}
                className={cx(
                  'flex items-center gap-2 rounded-md px-2 py-1.5 text-sm',
                  index === chosen && 'bg-blue-soft',
                )}
              >
                <Avatar id={agent.id} name={agent.name} small />
                <bdi className="truncate">{agent.name}</bdi>
              </li>
            ))}
          </ul>
        ) : null}
        <div
          className="rounded-xl border border-line-2 bg-surface p-1.5 shadow-card focus-within:border-blue"
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => {
            if (attached.add(event.dataTransfer.files)) event.preventDefault();
          }}
        >
          <FileList {...attached} />
          <div className="flex items-end gap-2">
            <AttachButton add={attached.add} />
            <label htmlFor={id} className="sr-only">
              {composerWords.message}
            </label>
            <textarea
              ref={box}
              id={id}
              data-landing="keyboard"
              rows={1}
              value={text}
              readOnly={isUploading}
              placeholder={isWide ? composerWords.widePlaceholder(worldName) : composerWords.placeholder(worldName)}
              aria-autocomplete="list"
              aria-controls={open ? listId : undefined}
              aria-describedby={`${id}-to`}
              aria-activedescendant={open ? `${listId}-${chosen}` : undefined}
              onChange={(event) => {
                write(event.target.value);
                look(event.target);
              }}
              onSelect={(event) => look(event.currentTarget)}
              onBlur={() => setMention(undefined)}
              onKeyDown={onKeyDown}
              onPaste={(event) => {
                if (attached.add(event.clipboardData.files)) event.preventDefault();
              }}
              className="scroll-quiet max-h-60 min-h-9 flex-1 resize-none bg-transparent py-1.5 leading-6 outline-none"
            />
            <Button
              look="primary"
              icon="send"
              disabled={(text.trim() === '' && attached.files.length === 0) || busy || isUploading}
              onClick={() => send(text)}
            >
              {composerWords.send}
            </Button>
          </div>
        </div>
      </div>
      <Recipients id={`${id}-to`} text={text} agents={agents} mainAgent={mainAgent} onFix={fix} onInsert={insert} />
    </div>
  );
}

interface RecipientsProps {
  id: string;
  text: string;
  agents: readonly Agent[];
  mainAgent: string | undefined;
  onFix: (text: string) => void;
  onInsert: (text: string) => void;
}

/** Who will answer. Always takes one line, so that nothing moves while a person types. */
function Recipients({ id, text, agents, mainAgent, onFix, onInsert }: RecipientsProps): ReactElement {
  // A pasted megabyte must not delay typing.
  const settled = useDeferredValue(text);
  const who = useMemo(() => whoAnswers(settled, agents, mainAgent), [settled, agents, mainAgent]);
  const fixed = who.kind === 'nobody' ? who.fixed : undefined;
  return (
    <div className="flex h-6 items-end gap-2 px-3.5 text-xs leading-6 text-ink-3">
      <span id={id} className={cx('min-w-0 truncate', who.kind === 'nobody' && 'text-amber')}>
        {agents.length === 0 && text === '' ? '' : composerWords.recipients(who)}
      </span>
      {fixed === undefined || settled !== text ? null : (
        <button type="button" onClick={() => onFix(fixed)} className="shrink-0 font-medium text-blue hover:underline">
          {composerWords.fixMention}
        </button>
      )}
      <InsertContext onInsert={onInsert} />
    </div>
  );
}

/** A fully typed name needs no completion: Enter sends. */
function isWhole(agents: readonly Agent[], mention: Mention | undefined): boolean {
  const typed = mention?.typed.trim().toLowerCase();
  return typed !== undefined && typed !== '' && agents.some(({ name }) => typed === name.toLowerCase());
}
