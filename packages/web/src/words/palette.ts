/** The list behind Ctrl+K, and the list of keys. Loaded on demand. */
export const paletteWords = {
  palette: 'Go to',
  paletteHint: 'Chat, page or world',
  page: 'Page',
  worldKind: 'World',
  searchFor: (words: string) => `Search messages for “${words}”`,
  keysTitle: 'Keys',
  keys: [
    ['Ctrl K', 'go to a chat, page or world (⌘ K on a Mac)'],
    ['/', 'search the messages of this world'],
    ['Alt N', 'go to the next waiting call'],
    ['?', 'show these keys'],
    ['Enter', 'send a message; Shift Enter starts a new line'],
    ['Esc', 'close a dialog or menu'],
  ] as const,
} as const;
