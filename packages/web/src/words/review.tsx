import type { ReactElement } from 'react';
import { commonWords } from './common.js';

/** The screen that shows a change file by file. */
export const reviewWords = {
  ...commonWords,
  title: 'Review',
  summary: 'Summary',
  files: 'Files',
  filesOf: (count: number) => `Files (${count.toLocaleString()})`,
  viewedOf: (viewed: number, count: number) => `${viewed.toLocaleString()} of ${count.toLocaleString()} viewed`,
  viewed: 'Viewed',
  viewedHint: 'Kept in this browser only',
  isViewed: 'viewed',
  runsLater: 'runs by itself',
  runsLaterMeans: 'Programs outside the sandbox run this file by themselves.',
  status: {
    removed: 'removed',
    changed: 'changed',
    moved: 'moved',
    added: 'added',
    'left-out': 'not applied',
  },
  lines: 'lines',
  bytes: (count: number) => `${count.toLocaleString()} B`,
  diffOf: (path: string) => `Changes in ${path}`,
  filesIn: (path: string) => `Files in ${path}`,
  listFiles: (count: number) => `List its ${count.toLocaleString()} files`,
  notAll: (why: string) => `Only part of the change could be loaded: ${why}`,
  previousFile: 'Previous file',
  nextFile: 'Next file',
  added: 'added',
  removed: 'removed',
  back: 'Back to the chat',
  theCall: 'the call',
  toShowAll: 'To approve this call, wait until all of it is loaded.',
  toShowFiles: 'To approve this call, scroll to the end of the list of files, or go through them.',
  toShowFolder: (path: string) => `To approve this call, open ${path}, which stands for several files.`,
  toShowEnd: (path: string) => `To approve this call, scroll to the end of ${path}.`,
  comment: 'Comment…',
  commentText: 'Comment',
  commentHint: 'Kept in this browser, and sent with Ask for changes.',
  commentLine: 'Line of the new file (optional)',
  noLine: 'Enter a line number, or nothing.',
  addComment: 'Add comment',
  removeComment: 'Remove comment',
  select: (path: string) => `Select ${path}`,
  selectBlock: (block: number) => `Select block ${block}`,
  selectHint: 'Select files or blocks of lines to apply only these.',
  askAbout: (count: number) => `Ask about ${count === 1 ? 'this file' : `these ${count.toLocaleString()} files`} only`,
  clear: 'Clear',
  asked: 'Review the part that you selected. The rest of the run stays as it is.',
  wholeFile: 'File:',
  line: (line: number) => `Line ${line}:`,
  /** As in the terminal, where there is such a key. */
  keys: (maySelect: boolean): ReactElement => (
    <>
      <kbd>←</kbd> <kbd>→</kbd> previous, next file · <kbd>k</kbd> <kbd>j</kbd> previous, next change · <kbd>v</kbd>{' '}
      viewed, next file ·{' '}
      {maySelect ? (
        <>
          <kbd>x</kbd> select ·{' '}
        </>
      ) : null}
      <kbd>s</kbd> summary · <kbd>f</kbd> back
    </>
  ),
} as const;
