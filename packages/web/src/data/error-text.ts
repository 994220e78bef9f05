import { uiWords } from '../words/ui.js';

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : uiWords.failed;
}
