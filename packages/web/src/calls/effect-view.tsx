import { type ApprovalView, effectText, type EffectFile, type RunPart } from '@countersign/client';
import type { Effect } from '@countersign/protocol';
import { type ReactElement, useState } from 'react';
import { cx } from '../ui/cx.js';
import { IconLine } from '../text/icon-line.js';
import { FoldedText } from '../text/folded-text.js';
import { useFold } from '../text/folds.js';
import { Icon } from '../ui/icon.js';
import { Visible } from '../text/visible.js';
import { callWords } from '../words/calls.js';
import { DiffView } from './diff-view.js';

/** Paths that are listed at first. */
const FIRST = 20;
/** Diffs that are open at first, if they are short. */
const OPEN = 3;
const OPEN_LINES = 30;

/** What a call will do to the working folder, or why nobody knows. The sentence comes first, and destructive parts before others. */
export function EffectView({
  approval,
  foot,
  onShowAll,
  isBrief = false,
}: {
  approval: Parameters<typeof effectText>[0] & Pick<ApprovalView, 'decision'>;
  foot?: string;
  /** Gets the rest of a truncated effect; undefined on failure, which is shown elsewhere. */
  onShowAll?: () => Promise<Effect | undefined>;
  /** The files are listed elsewhere. */
  isBrief?: boolean;
}): ReactElement | null {
  const [count, setCount] = useState(FIRST);
  const [loaded, setLoaded] = useState<Effect>();
  const whole = loaded?.effectHash === approval.effect?.effectHash ? loaded : undefined;
  const text = effectText(whole === undefined ? approval : { ...approval, effect: whole });
  const hidden = isBrief ? 0 : (text?.files.length ?? 0) - count;
  useFold(hidden > 0);
  if (text === undefined) return null;
  const { sentence, isKnown, isDestructive, files, notes, guess, output, isRehearsed, isTruncated, prediction } = text;
  const rehearsed = text.withoutNetwork ?? text.run?.meaning ?? callWords.rehearsed;
  const end = foot ?? prediction ?? (isRehearsed && approval.decision === undefined ? rehearsed : '');
  const open = new Set(files.filter(({ diff }) => diff.length > 0 && diff.length <= OPEN_LINES).slice(0, OPEN));
  if (!isKnown) {
    return (
      <p role="group" aria-label={callWords.effect} className="flex items-start gap-1.5 text-[0.8125rem] text-ink-2">
        <Icon name="eye" className="mt-0.5 size-3.5 text-ink-3" />
        <span>{sentence}</span>
      </p>
    );
  }
  return (
    <div
      role="group"
      aria-label={prediction === undefined ? callWords.effect : callWords.prediction}
      className="space-y-1.5 text-[0.8125rem]"
    >
      <p className={cx('flex items-start gap-1.5 text-sm font-semibold', isDestructive ? 'text-red' : 'text-ink')}>
        <Icon name={isDestructive ? 'trash' : 'file'} className="mt-0.5 size-4" />
        <span>{sentence}</span>
      </p>
      <RunParts parts={text.run?.before ?? []} />
      <ul className="space-y-0.5">
        {files.slice(0, isBrief ? 0 : count).map((file) => (
          <li key={`${file.change} ${file.path}`}>
            <File file={file} isOpen={open.has(file)} />
          </li>
        ))}
      </ul>
      {hidden > 0 ? (
        <p className="flex flex-wrap items-center gap-1.5 rounded-sm bg-amber-soft px-2 py-0.5 font-medium text-amber">
          <Icon name="alert" className="size-3.5" />
          {callWords.morePaths(hidden)}
          <button type="button" className="text-blue hover:underline" onClick={() => setCount(files.length)}>
            {callWords.showPaths(hidden)}
          </button>
        </p>
      ) : null}
      <RunParts parts={text.run?.after ?? []} />
      {notes.map((note) => (
        <IconLine key={note} icon="alert" look="text-amber">
          <Visible text={note} strict />
        </IconLine>
      ))}
      {guess === '' ? null : <p className="text-ink-3">{guess}</p>}
      {onShowAll !== undefined && !isBrief && isTruncated && whole === undefined ? (
        <button type="button" className="text-blue hover:underline" onClick={() => void onShowAll().then(setLoaded)}>
          {callWords.showWhole}
        </button>
      ) : null}
      {output === '' ? null : (
        <details>
          <summary className="cursor-pointer text-ink-2">{callWords.printed}</summary>
          <FoldedText text={output} className="mt-1 rounded-md border border-line bg-sunken px-2 py-1" />
        </details>
      )}
      {end === '' ? null : <p className="text-ink-3">{end}</p>}
    </div>
  );
}

/** Lines that are shown at first in each part. */
const FIRST_LINES = 10;

/** What a run did besides its files. */
function RunParts({ parts }: { parts: readonly RunPart[] }): ReactElement {
  return (
    <>
      {parts.map(({ title, lines }) => (
        <div key={title} role="group" aria-label={title}>
          <p className="text-ink-3">{title}</p>
          <FoldedLines lines={lines} />
        </div>
      ))}
    </>
  );
}

function FoldedLines({ lines }: { lines: readonly string[] }): ReactElement {
  const [count, setCount] = useState(FIRST_LINES);
  const hidden = lines.length - count;
  useFold(hidden > 0);
  return (
    <>
      <ul className="pl-4">
        {lines.slice(0, count).map((line, at) => (
          <li key={at} className="[overflow-wrap:anywhere]">
            <code className="font-normal">
              <Visible text={line} strict />
            </code>
          </li>
        ))}
      </ul>
      {hidden > 0 ? (
        <button type="button" className="pl-4 text-blue hover:underline" onClick={() => setCount(lines.length)}>
          {callWords.showMoreOfRun(hidden)}
        </button>
      ) : null}
    </>
  );
}

const LOOKS: Readonly<Record<EffectFile['change'], string>> = {
  removed: 'text-red',
  changed: 'text-ink-2',
  moved: 'text-ink-2',
  added: 'text-green',
};

function File({ file, isOpen }: { file: EffectFile; isOpen: boolean }): ReactElement {
  const { change, sign, path, about, diff } = file;
  const name = (
    // A wrapped line starts below the path, not below the sign.
    <span className="inline-block max-w-[calc(100%-1rem)] min-w-0 pl-4.5 align-top -indent-4.5 [overflow-wrap:anywhere] *:indent-0">
      <span aria-hidden="true" className={cx('mr-1.5 inline-block w-3 font-mono font-semibold', LOOKS[change])}>
        {sign}
      </span>
      <span className="sr-only">{change}: </span>
      <code className={cx('text-[0.8125rem] font-normal', change === 'removed' && 'text-red')}>
        <Visible text={path} strict />
      </code>
      {about === '' ? null : (
        <>
          {' '}
          <span className="inline-block max-w-full text-ink-3">
            <Visible text={about} strict />
          </span>
        </>
      )}
    </span>
  );
  if (diff.length === 0) return <p className="pl-4">{name}</p>;
  return (
    <details open={isOpen}>
      <summary className="cursor-pointer">{name}</summary>
      <div className="mt-1 mb-1.5 pl-4">
        <DiffView lines={diff} />
      </div>
    </details>
  );
}
