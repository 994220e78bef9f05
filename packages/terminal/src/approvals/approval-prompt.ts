import type { ApprovalView, Client } from '@countersign/client';
import { sizeOf } from '../console.js';
import type { CommandContext } from '../context.js';
import type { Keyboard } from '../input/keyboard.js';
import type { CardLook } from '../card/describe-approval.js';

/** How the prompt for one approval ended. */
export type Asked =
  | { readonly kind: 'approved' | 'denied' | 'answered' }
  /** Signed, and others must sign too. */
  | { readonly kind: 'signed' }
  /** The call was edited or has changed, so that another approval replaces this one. Nothing ran. */
  | { readonly kind: 'replaced' }
  /** The approval was decided elsewhere or no longer exists. */
  | { readonly kind: 'gone' }
  /** The person wants to see another call first. */
  | { readonly kind: 'later' }
  /** The person left with Ctrl-C or by ending the input. The call keeps waiting. */
  | { readonly kind: 'left' }
  /** The server did not accept the answer, or its response was lost. Nothing runs without approval; the person is asked again. */
  | { readonly kind: 'lost'; readonly why: string };

/** The dependencies of a prompt. */
export interface ApprovalPrompt {
  readonly context: CommandContext;
  readonly client: Client;
  readonly world: string;
  readonly keyboard: Keyboard;
}

/** Where a call stands: in its queue, and in which world if several are watched. */
export type CardPlace = Pick<CardLook, 'place' | 'world'>;

/** Card details that depend on where the card is shown. */
type Look = Omit<CardLook, 'paint' | 'columns' | 'whole'>;

/** A prompt for one approval. Aborted when the call is decided elsewhere. */
export type Ask = (prompt: ApprovalPrompt, approval: ApprovalView, look: Look, signal: AbortSignal) => Promise<Asked>;

export function columnsOf({ columns }: CommandContext): number {
  return columns() ?? 80;
}

export function lookOf(context: CommandContext): Pick<CardLook, 'paint' | 'columns' | 'rows'> {
  return { paint: context.paint, columns: columnsOf(context), rows: sizeOf(context.console.stdout).rows };
}
