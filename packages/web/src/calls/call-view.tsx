import { changeLines, describeCall, diffLines } from '@countersign/client';
import type { Effect, NoEffect, Preview } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { cx } from '../ui/cx.js';
import { FoldedText } from '../text/folded-text.js';
import { Visible } from '../text/visible.js';
import { DiffView } from './diff-view.js';
import { shellParts, type ShellPart } from './shell-parts.js';
import { callWords } from '../words/calls.js';

const COLOURS: Readonly<Record<ShellPart['kind'], string>> = {
  plain: '',
  string: 'text-green',
  variable: 'text-[var(--code-number)]',
  operator: 'text-[var(--code-keyword)] font-semibold',
  comment: 'text-ink-3 italic',
  flag: 'text-ink-2',
  name: 'text-blue font-semibold',
};

/** Shows exactly what will run. `preview` is the tool's own preview of its changes. */
export function CallView({
  toolName,
  args,
  preview,
  effect,
  noEffect,
  isBrief = false,
}: {
  toolName: string;
  args: unknown;
  preview?: Preview | undefined;
  /** What it will do, or is predicted to do. */
  effect?: Pick<Effect, 'files'> | undefined;
  noEffect?: NoEffect | undefined;
  /** The lines of a file are shown elsewhere. */
  isBrief?: boolean;
}): ReactElement {
  const shape = describeCall(toolName, args, noEffect);
  switch (shape.kind) {
    case 'shell':
      return (
        <div className="space-y-1.5">
          <Command command={shape.command} parameters={shape.parameters} />
          <Fields fields={shape.others} />
        </div>
      );
    case 'write':
    case 'edit':
      return (
        <div className="space-y-1.5">
          <DiffView
            path={shape.path}
            lines={isBrief ? [] : changeLines(shape, preview, effect)}
            counts={effect?.files.find(({ kind }) => kind === 'file')?.lines}
          />
          <Fields fields={shape.others} />
        </div>
      );
    case 'text':
      return <FoldedText text={shape.text} strict />;
    case 'fields':
      return (
        <div className="space-y-1.5">
          {shape.fields.length === 0 ? <p className="text-sm text-ink-3">{callWords.noArguments}</p> : null}
          <Fields fields={shape.fields} />
          {preview === undefined ? null : <DiffView lines={diffLines(preview.text)} />}
        </div>
      );
  }
}

function Fields({ fields }: { fields: readonly { name: string; text: string }[] }): ReactElement | null {
  if (fields.length === 0) return null;
  return (
    <dl className="space-y-1.5">
      {fields.map(({ name, text }) => (
        <div key={name} className="grid grid-cols-[minmax(0,8rem)_minmax(0,1fr)] gap-3">
          <dt className="pt-px font-mono text-[0.8125rem] [overflow-wrap:anywhere] text-ink-3">
            <Visible text={name} strict />
          </dt>
          <dd>
            <FoldedText text={text} strict />
          </dd>
        </div>
      ))}
    </dl>
  );
}

const LONGEST = 20_000;

function Command({ command, parameters }: { command: string; parameters: readonly string[] }): ReactElement {
  if (command.length > LONGEST) return <FoldedText text={[command, ...parameters].join(' ')} first={4000} strict />;
  return (
    <pre aria-label={callWords.command} role="group" className="code text-[0.8125rem] leading-relaxed text-ink">
      {shellParts(command).map((part, index) => (
        <span key={`${index}`} className={cx(COLOURS[part.kind])}>
          <Visible text={part.text} strict />
        </span>
      ))}
      {parameters.map((word, index) => (
        <span key={`${index}-${word}`} className="text-green">
          {' '}
          <Visible text={JSON.stringify(word)} strict />
        </span>
      ))}
    </pre>
  );
}
