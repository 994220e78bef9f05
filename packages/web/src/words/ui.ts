import { commonWords } from './common.js';

/** Controls that all screens use. */
export const uiWords = {
  ...commonWords,
  choices: 'Suggestions',
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'The browser blocked copying. Select the text and copy it manually.',
  dismiss: 'Dismiss',
  failed: 'Something went wrong. Try again.',
  hiddenCharacters: (count: number) => `${count.toLocaleString()} characters are not shown.`,
  showMore: (left: string) => `Show more (${left} left)`,
} as const;
