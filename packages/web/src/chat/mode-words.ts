import { chatWords } from '../words/chat.js';

/** Explains which calls need approval in a world with this mode. */
export function modeWords(mode: 'read' | 'ask' | 'auto' | undefined): string {
  switch (mode) {
    case 'read':
      return chatWords.modes.read;
    case 'auto':
      return chatWords.modes.auto;
    case 'ask':
    case undefined:
      return chatWords.modes.ask;
  }
}
