import type { ApprovalView } from '@countersign/client';
import { editInEditor, editable, readEdited } from '../card/edit-call-text.js';
import { hasEditor } from '../input/edit-text.js';
import { indented } from '../text/behind-bar.js';
import { columnsOf, type ApprovalPrompt } from './approval-prompt.js';
import { cardWords } from '../words/cards.js';

type Edited =
  | { readonly kind: 'edited'; readonly arguments: Record<string, unknown> }
  | { readonly kind: 'denied' }
  /** Return to the card without a decision. */
  | { readonly kind: 'back' }
  | { readonly kind: 'gone' };

/** Opens the person's editor, or asks for one line if there is no editor. Asks again if the input is invalid. */
export async function editArguments(
  prompt: ApprovalPrompt,
  call: Pick<ApprovalView, 'toolName' | 'arguments'>,
  signal: AbortSignal,
): Promise<Edited> {
  const { keyboard, context } = prompt;
  const complain = (problem: string): void => keyboard.print(`${indented(problem, columnsOf(context))}\n`);
  if (hasEditor(context.console.env)) {
    try {
      const edited = await keyboard.lend(() => editInEditor(context, call));
      return edited === undefined ? { kind: 'back' } : { kind: 'edited', arguments: edited };
    } catch (error) {
      complain(error instanceof Error ? error.message : String(error));
      return { kind: 'back' };
    }
  }
  let text = editable(call);
  for (;;) {
    const typed = await keyboard.ask({ prompt: cardWords.argumentsPrompt, prefill: text, signal });
    if (typed.kind === 'cancelled') return { kind: 'gone' };
    if (typed.kind !== 'line') return { kind: 'back' };
    if (typed.text.trim() === '') return { kind: 'denied' };
    ({ text } = typed);
    const read = readEdited(call, text);
    if (!('problem' in read)) return { kind: 'edited', ...read };
    complain(read.problem);
  }
}
