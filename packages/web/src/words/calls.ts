import { common } from './common.js';

/** Calls in the transcript: arguments, changes, output and results. */
export const t = {
  ...common,
  call: 'Call',
  noArguments: 'No arguments.',
  changes: 'Changes',
  lines: 'lines',
  hiddenLines: (count: number) => `${count.toLocaleString()} lines are not shown.`,
  showLines: (next: number, total: number) => `Show ${next} more lines (${total} in total)`,
  edited: 'edited',
  review: 'Review',
  proposed: 'What the agent proposed',
  denied: 'Denied:',
  output: 'Output',
  noOutputYet: 'No output yet.',
  dropped: (count: number) => `… ${count} earlier characters`,
  noOutput: 'No output.',
  stderr: 'stderr',
  exitCode: (code: number, isSilent: boolean) => `exit code ${code}${isSilent ? ', no output' : ''}`,
  result: 'Result',
  created: 'Created',
  wrote: 'Wrote',
  bytes: (count: number) => `${count.toLocaleString()} ${count === 1 ? 'byte' : 'bytes'}`,
  lineRange: (first: number, last: number) => (first === last ? `line ${first}` : `lines ${first} to ${last}`),
  emptyFolder: 'no entries',
} as const;
