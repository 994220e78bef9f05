import { readArguments } from '@countersign/client';
import { editJson } from '../input/edit-text.js';
import { indented } from '../text/behind-bar.js';
import { columnsOf, type ApprovalPrompt } from './approval-prompt.js';
import { cardWords } from '../words/cards.js';

type Edited =
  | { readonly kind: 'edited'; readonly value: Record<string, unknown> }
  | { readonly kind: 'denied' }
  /** Return to the card without a decision. */
  | { readonly kind: 'back' }
  | { readonly kind: 'gone' };

/** Opens the person's editor, or asks for one line of JSON if there is no editor. Asks again if the input is invalid. */
export async function editArguments(prompt: ApprovalPrompt, args: unknown, signal: AbortSignal): Promise<Edited> {
  const { keyboard, context } = prompt;
  const { env } = context.console;
  const hasEditor = (env['VISUAL'] ?? env['EDITOR'] ?? '') !== '';
  let text = JSON.stringify(args);
  for (;;) {
    try {
      if (hasEditor) {
        const read = async (value: unknown): Promise<Record<string, unknown>> => recordOf(JSON.stringify(value));
        const value = await keyboard.lend(() => editJson(context, args, 'arguments.json', read));
        return value === undefined ? { kind: 'back' } : { kind: 'edited', value };
      }
      const typed = await keyboard.ask({ prompt: cardWords.argumentsPrompt, prefill: text, signal });
      if (typed.kind === 'cancelled') return { kind: 'gone' };
      if (typed.kind !== 'line') return { kind: 'back' };
      if (typed.text.trim() === '') return { kind: 'denied' };
      text = typed.text;
      return { kind: 'edited', value: recordOf(typed.text) };
    } catch (error) {
      keyboard.print(`${indented(error instanceof Error ? error.message : String(error), columnsOf(context))}\n`);
      if (hasEditor) return { kind: 'back' };
    }
  }
}

function recordOf(text: string): Record<string, unknown> {
  const read = readArguments(text);
  if ('error' in read) throw new Error(read.error);
  return read.arguments;
}
