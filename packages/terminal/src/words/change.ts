/** Texts about a change file by file, in `runs diff` and in the full-screen UI. */
export const changeWords = {
  status: { removed: 'removed', changed: 'changed', moved: 'moved', added: 'added', 'left-out': 'not applied' },
  folder: 'folder',
  runsLater: 'programs run it by themselves',
  notListed: (count: number): string =>
    `${count.toLocaleString('en')} more ${count === 1 ? 'path is' : 'paths are'} not listed.`,
  noFile: (path: string, run: string): string =>
    `The change has no file "${path}". To list its files, run: countersign runs diff ${run}`,

  // The full-screen UI
  title: (count: number): string => ` Files of this change (${count.toLocaleString('en')})`,
  place: (position: number, count: number): string => ` File ${position} of ${count.toLocaleString('en')}`,
  loading: ' Loading the whole change…',
  notAll: (why: string): string => ` Only part of the change could be loaded: ${why}`,
  listHint: 'j k choose · Enter opens · f back to the card',
  fileHint: '← → files · j k PgUp PgDn scroll · Esc list · f back to the card',
} as const;
