import { unsandboxedText } from '@countersign/protocol';

/** Why there is no sandbox, and what that means: two sentences. */
export function noSandboxWords(reason: string): string {
  const meaning = unsandboxedText('an approved command');
  return `${reason}. ${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`;
}
