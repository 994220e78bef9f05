import type { ApprovalView, Client } from '@countersign/client';
import { sizeOf } from '../console.js';
import type { CommandContext } from '../context.js';
import type { Keyboard } from '../keyboard.js';
import type { CardLook } from './describe-approval.js';

/** How the dialogue about one approval ended. */
export type Asked =
  | { readonly kind: 'approved' | 'denied' | 'answered' }
  /** It was decided elsewhere, or is no longer there. */
  | { readonly kind: 'gone' }
  /** Another one first. */
  | { readonly kind: 'later' }
  /** Ctrl-C or the end of the input: the person leaves, and the call keeps waiting. */
  | { readonly kind: 'left' }
  /** The server did not take the answer, or nobody knows whether it did. Nothing that was not signed runs; it is asked again. */
  | { readonly kind: 'lost'; readonly why: string };

/** Where a person sits and signs. */
export interface Desk {
  readonly context: CommandContext;
  readonly client: Client;
  readonly world: string;
  readonly keyboard: Keyboard;
}

/** What of a card the place knows at which it is shown. */
type Look = Omit<CardLook, 'paint' | 'columns' | 'edited' | 'whole'>;

/** What every dialogue about an approval is given. Aborted when it was decided elsewhere. */
export type Ask = (desk: Desk, approval: ApprovalView, look: Look, signal: AbortSignal) => Promise<Asked>;

export function columnsOf({ columns }: CommandContext): number {
  return columns() ?? 80;
}

export function lookOf(context: CommandContext): Pick<CardLook, 'paint' | 'columns' | 'rows'> {
  return { paint: context.paint, columns: columnsOf(context), rows: sizeOf(context.console.stdout).rows };
}
