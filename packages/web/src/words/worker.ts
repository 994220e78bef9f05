/** What the service worker says by itself. It is built into one file, so no page uses these words. */
export const workerWords = {
  review: 'Review',
  deny: 'Deny',
  notDenied: 'The call was not denied. Open it to see its state.',
} as const;
