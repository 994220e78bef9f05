import type { ChangeEntry } from '@countersign/client';
import { type ReactElement, type Ref, useCallback, useState } from 'react';
import type { Comments } from '../approvals/use-comments.js';
import { IconLine } from '../text/icon-line.js';
import { Visible } from '../text/visible.js';
import { visibleText } from '../text/visible-parts.js';
import { Button } from '../ui/button.js';
import { Loading } from '../shell/frame.js';
import { reviewWords } from '../words/review.js';
import { type DiffControl, DiffTable } from './diff-table.js';
import { FileComments } from './file-comments.js';
import type { Review } from './use-review.js';
import type { Selection } from './use-selection.js';
import { useText } from './use-text.js';

/** One file: what happens to it, and its lines. */
export function FilePane({
  entry,
  review,
  isViewed,
  onViewed,
  control,
  comments,
  selection,
}: {
  entry: ChangeEntry;
  review: Review;
  isViewed: boolean;
  onViewed: () => void;
  control: Ref<DiffControl>;
  /** Absent if nobody could get them. */
  comments?: Comments | undefined;
  selection?: Selection | undefined;
}): ReactElement {
  const [line, setLine] = useState<string>();
  const onLine = useCallback((number: number) => setLine(`${number}`), []);
  const mayComment = comments !== undefined && entry.kind === 'file';
  const blocks = entry.kind === 'file' && entry.status === 'changed' ? entry.exactPath : undefined;
  const { noteEnd, listFilesOf } = review;
  const { path, about } = entry;
  const text = useText(entry);
  const onEnd = useCallback(() => noteEnd(path), [noteEnd, path]);
  const label = entry.kind === 'file' ? reviewWords.diffOf : reviewWords.filesIn;
  return (
    <>
      <header className="shrink-0 space-y-1 border-b border-line px-3 py-2 text-[0.8125rem]">
        <div className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
          <h4 className="min-w-0 font-mono font-semibold [overflow-wrap:anywhere]">
            <Visible text={path} strict />
          </h4>
          <span className="text-ink-2">
            {entry.kind === 'file' ? reviewWords.status[entry.status] : null}
            {entry.kind === 'file' && about !== '' ? ', ' : null}
            <Visible text={about} strict />
          </span>
          <label className="ml-auto flex items-center gap-1.5 text-ink-2" title={reviewWords.viewedHint}>
            <input type="checkbox" checked={isViewed} onChange={onViewed} className="accent-[var(--blue)]" />
            {reviewWords.viewed}
          </label>
        </div>
        {entry.kind === 'file' && entry.runsLater ? (
          <IconLine icon="alert" look="font-medium text-red">
            {reviewWords.runsLaterMeans}
          </IconLine>
        ) : null}
        {text === undefined || text.missing === '' ? null : (
          <IconLine icon="alert" look="text-amber">
            {text.missing}
          </IconLine>
        )}
        {entry.kind === 'folder' && entry.files.length > 0 ? (
          <Button size="small" onClick={() => listFilesOf(path)}>
            {reviewWords.listFiles(entry.files.length)}
          </Button>
        ) : null}
        {mayComment ? <FileComments path={path} comments={comments} line={line} onLine={setLine} /> : null}
      </header>
      {text === undefined ? (
        <Loading what={reviewWords.lines} />
      ) : (
        <DiffTable
          key={path}
          label={label(visibleText(path, true))}
          path={path}
          text={text}
          onEnd={onEnd}
          control={control}
          onLine={mayComment ? onLine : undefined}
          blocks={
            selection === undefined || blocks === undefined
              ? undefined
              : {
                  has: (block) => selection.hasBlock(blocks, block),
                  toggle: (block, of) => selection.toggleBlock(blocks, block, of),
                }
          }
        />
      )}
    </>
  );
}
