import { asText, diffLines } from '@countersign/client';
import type { ReactElement } from 'react';
import { FoldedText } from '../text/folded-text.js';
import { Visible } from '../text/visible.js';
import { DiffView } from './diff-view.js';
import { readResult } from './read-result.js';
import { callWords } from '../words/calls.js';

/** The result of a call. */
export function ResultView({ result }: { result: unknown }): ReactElement | null {
  const shape = readResult(result);
  switch (shape.kind) {
    case 'empty':
      return <p className="text-[0.8125rem] text-ink-3">{callWords.noOutput}</p>;
    case 'shell':
      return (
        <div className="space-y-2">
          {shape.stdout === '' ? null : <FoldedText text={shape.stdout} />}
          {shape.stderr === '' ? null : (
            <div>
              <p className="text-xs text-ink-3">{callWords.stderr}</p>
              <FoldedText text={shape.stderr} className="text-red" />
            </div>
          )}
          <p className="text-xs text-ink-3">
            {callWords.exitCode(shape.exitCode, shape.stdout === '' && shape.stderr === '')}
          </p>
          <Caption words={[shape.note]} />
        </div>
      );
    case 'diff':
      return (
        <div tabIndex={0} role="group" aria-label={callWords.result} className="scroll-quiet max-h-96 overflow-y-auto">
          <DiffView path={shape.path} lines={diffLines(shape.diff)} />
        </div>
      );
    case 'written':
      return (
        <p className="text-[0.8125rem] text-ink-2">
          {shape.created ? callWords.created : callWords.wrote}{' '}
          <span className="font-mono">
            <Visible text={shape.path} strict />
          </span>
          , {callWords.bytes(shape.bytes)}.
        </p>
      );
    case 'file':
      return (
        <div className="space-y-2">
          {shape.content === '' ? null : <FoldedText text={shape.content} />}
          <Caption words={[shape.path, shape.lines, callWords.bytes(shape.size), shape.note]} />
        </div>
      );
    case 'list':
      return (
        <div className="space-y-2">
          {shape.entries.length === 0 ? null : <FoldedText text={shape.entries.join('\n')} />}
          <Caption words={[shape.path, shape.entries.length === 0 ? callWords.emptyFolder : '', shape.note]} />
        </div>
      );
    case 'text':
      return <FoldedText text={shape.text} />;
    case 'other':
      return <FoldedText text={asText(shape.value)} />;
  }
}

function Caption({ words }: { words: readonly string[] }): ReactElement | null {
  const said = words.filter((word) => word !== '').join(', ');
  if (said === '') return null;
  return (
    <p className="text-xs [overflow-wrap:anywhere] text-ink-3">
      <Visible text={said} strict />
    </p>
  );
}
