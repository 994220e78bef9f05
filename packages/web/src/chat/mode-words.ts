import { composerWords } from '../words/composer.js';

/** Explains which calls need approval in a world with this mode. */
export function modeWords(mode: 'read' | 'ask' | 'auto' | undefined): string {
  switch (mode) {
    case 'read':
      return composerWords.modes.read;
    case 'auto':
      return composerWords.modes.auto;
    case 'ask':
    case undefined:
      return composerWords.modes.ask;
  }
}
