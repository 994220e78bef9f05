import type { ApprovalView, Client } from '@countersign/client';
import { sizeOf } from '../console.js';
import type { CommandContext } from '../context.js';
import type { Keyboard } from '../keyboard.js';
import type { CardLook } from './describe-approval.js';

/** How the dialogue about one approval ended. */
export type Asked =
  | { readonly kind: 'approved' | 'denied' | 'answered' }
  /** Decided elsewhere, or no longer there. */
  | { readonly kind: 'gone' }
  /** Another call first. */
  | { readonly kind: 'later' }
  /** Ctrl-C or the end of the input: the person leaves, and the call keeps waiting. */
  | { readonly kind: 'left' }
  /** The server did not accept the answer, or its reply was lost. Nothing runs without approval; the person is asked again. */
  | { readonly kind: 'lost'; readonly why: string };

/** What a dialogue needs to ask a person. */
export interface Desk {
  readonly context: CommandContext;
  readonly client: Client;
  readonly world: string;
  readonly keyboard: Keyboard;
}

/** Card details that depend on where it is shown. */
type Look = Omit<CardLook, 'paint' | 'columns' | 'edited' | 'whole'>;

/** A dialogue about one approval. Aborted when the call is decided elsewhere. */
export type Ask = (desk: Desk, approval: ApprovalView, look: Look, signal: AbortSignal) => Promise<Asked>;

export function columnsOf({ columns }: CommandContext): number {
  return columns() ?? 80;
}

export function lookOf(context: CommandContext): Pick<CardLook, 'paint' | 'columns' | 'rows'> {
  return { paint: context.paint, columns: columnsOf(context), rows: sizeOf(context.console.stdout).rows };
}
