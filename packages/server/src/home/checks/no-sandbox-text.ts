import { unsandboxedText } from '@countersign/protocol';

/** Explains in two sentences why there is no sandbox and what that means. */
export function noSandboxText(reason: string): string {
  const meaning = unsandboxedText('an approved command');
  return `${reason}. ${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`;
}
