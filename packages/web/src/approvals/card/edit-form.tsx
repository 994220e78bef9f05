import { type ApprovalView, describeCall, readArguments, withCommand } from '@countersign/client';
import { type ReactElement, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { TextArea } from '../../form/field.js';
import { editHint } from './edit-hint.js';
import { approvalWords } from '../../words/approvals.js';

export interface Edited {
  label: string;
  text: string;
  error: string | undefined;
  hint: string;
  /** False while the text is unchanged. */
  isChanged: boolean;
  setText: (text: string) => void;
  /** The person left the form: the card isn't opened with it again. */
  leave: () => void;
  /** Shows why the server rejected the text. */
  refuse: (why: string) => void;
  /** Returns the parsed arguments; undefined if they are invalid, which is then shown. */
  read: () => Record<string, unknown> | undefined;
}

/** Texts of edits in progress, by approval id: the next card, or the layout for another width, replaces the card. */
const unfinished = new Map<string, string>();

export function isBeingEdited({ approvalId }: Pick<ApprovalView, 'approvalId'>): boolean {
  return unfinished.has(approvalId);
}

/** Editing creates a new version of the call in the same invocation (CALL7). Masked parts can be moved or removed, but not read. */
export function useEdited(approval: ApprovalView): Edited {
  const shape = describeCall(approval.toolName, approval.arguments);
  // With parameters, the command alone would hide part of the approved call.
  const command = shape.kind === 'shell' && shape.parameters.length === 0 ? shape.command : undefined;
  const original = command ?? JSON.stringify(approval.arguments, null, 2);
  const [text, setText] = useState(unfinished.get(approval.approvalId) ?? original);
  const [error, setError] = useState<string>();
  const parsed = command === undefined ? readArguments(text) : { arguments: withCommand(approval.arguments, text) };
  return {
    label: command === undefined ? approvalWords.arguments : approvalWords.command,
    text,
    error,
    hint: editHint(approval),
    isChanged: text !== original,
    setText: (written) => {
      setText(written);
      unfinished.set(approval.approvalId, written);
      setError(undefined);
    },
    leave: () => void unfinished.delete(approval.approvalId),
    refuse: setError,
    read: () => {
      if ('arguments' in parsed) return parsed.arguments;
      setError(parsed.error);
      return undefined;
    },
  };
}

/** The field is as tall as its text: with its own scrollbar, it could hide the end of the call. */
export function EditForm({ edited: { label, text, error, hint, setText } }: { edited: Edited }): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.querySelector('textarea')?.focus(), []);
  useLayoutEffect(() => {
    const field = box.current?.querySelector('textarea') ?? null;
    if (field === null) return;
    const area = field.closest('[data-reading]');
    const fit = (): void => {
      const top = area?.scrollTop ?? 0;
      field.style.height = '0';
      field.style.height = `${field.scrollHeight + 2}px`;
      // Measuring at height 0 has reset the scroll position. The height must have no CSS transition, or this would measure its start.
      if (area !== null) area.scrollTop = top;
    };
    fit();
    const observer = new ResizeObserver(fit);
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, [text]);
  return (
    <div ref={box}>
      <TextArea
        label={label}
        hint={hint}
        error={error}
        mono
        className="resize-none overflow-hidden [overflow-wrap:anywhere] transition-none"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </div>
  );
}
