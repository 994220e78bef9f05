import { t } from '../words/chat.js';

/** Explains which calls need approval in a world with this mode. */
export function modeWords(mode: 'read' | 'ask' | 'auto' | undefined): string {
  switch (mode) {
    case 'read':
      return t.modes.read;
    case 'auto':
      return t.modes.auto;
    case 'ask':
    case undefined:
      return t.modes.ask;
  }
}
