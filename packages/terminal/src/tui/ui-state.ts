import type { Answer, ApprovalView, ChatState, Current, WorldState } from '@countersign/client';
import type { Drafts } from './keys/drafts.js';
import { EMPTY_FIELD, type Field } from './keys/field.js';
import type { Scroll } from './layout/transcript-window.js';

export type Focus = 'composer' | 'card' | 'transcript' | 'chats';

/** What a person is about to answer. Nothing is chosen by itself (A17). */
export type Choice =
  | { readonly kind: 'none' }
  | { readonly kind: 'once' }
  /** `isNarrow`: only calls like this one. */
  | { readonly kind: 'session'; readonly isNarrow: boolean }
  | { readonly kind: 'deny'; readonly field: Field }
  | { readonly kind: 'always'; readonly field: Field }
  | { readonly kind: 'edit'; readonly field: Field; readonly problem?: string }
  | { readonly kind: 'answer'; readonly field: Field };

/** Waiting calls that the chosen answer also lets run, shown from the row `from` on. `key` tells which answer and calls they are. */
export interface Covered {
  readonly key: string;
  readonly count: number;
  readonly rows: readonly string[];
  readonly from: number;
}

export interface CardUi {
  readonly current: Current;
  /** Since when this very card is under the person's fingers, in milliseconds. */
  readonly shownAt: number;
  readonly scroll: number;
  /** Whether its end was on the screen: before that nothing of it can be signed. */
  readonly isSeen: boolean;
  readonly choice: Choice;
  /** The waiting calls that the choice also lets run, once the server was asked; `key` says for which decision. */
  readonly covered?: Covered | undefined;
  /** What the masks of one card hide, once a person asked to see it (A15). */
  readonly revealed?: { readonly id: string; readonly arguments: unknown } | undefined;
  readonly sending: ReadonlySet<string>;
  readonly taken: ReadonlySet<string>;
}

interface Said {
  readonly text: string;
  readonly isBad: boolean;
}

/** What the person has made of the screen. What there is to see comes from the client's stores alone. */
export interface UiState {
  /** Undefined: a chat that is made with its first message. */
  readonly chatId: string | undefined;
  readonly focus: Focus;
  readonly overlay: 'none' | 'help' | 'leave';
  readonly helpScroll: number;
  readonly composer: Field;
  readonly drafts: Drafts;
  readonly card: CardUi;
  readonly scroll: Scroll;
  /** The row of the list of chats that is looked at; 0 is a new one. */
  readonly pickedChat: number;
  /** Where it does not fit beside the rest, the list of chats comes in front when it is asked for. */
  readonly isSideOpen: boolean;
  /** Whether the output of calls is shown whole. */
  readonly isWide: boolean;
  readonly said: Said | undefined;
}

/** What has to be done outside the screen. */
export type Effect =
  | { readonly kind: 'send'; readonly text: string }
  | { readonly kind: 'stop' }
  | { readonly kind: 'open-chat'; readonly chatId: string | undefined }
  | { readonly kind: 'decide'; readonly approval: ApprovalView; readonly answer: Answer }
  | { readonly kind: 'answer'; readonly approval: ApprovalView; readonly words: string }
  | { readonly kind: 'reveal'; readonly approvalId: string }
  | { readonly kind: 'leave' };

export interface Pressed {
  readonly ui: UiState;
  readonly effects: readonly Effect[];
}

/** What there is to see, and how much room it has. */
export interface Facts {
  readonly world: WorldState;
  readonly chat: ChatState | undefined;
  readonly now: number;
  /** Whether the list of chats stands beside the rest. */
  readonly hasSide: boolean;
  readonly suggestions: readonly string[];
  /** The card, its visible and total lines, and whether part of the call is in none of them. */
  readonly card: {
    readonly id: string | undefined;
    readonly height: number;
    readonly length: number;
    readonly isCut: boolean;
  };
  /** How many lines of the help are seen at once, and how many it has. */
  readonly help: { readonly height: number; readonly length: number };
  readonly transcript: {
    readonly height: number;
    by(scroll: Scroll, delta: number): Scroll;
    top(): Scroll;
  };
}

/** So long a card that has just come under the person's fingers does nothing: what they type was meant for what was there before. */
export const ARMING_MS = 500;

export function initialUi(chatId: string | undefined): UiState {
  return {
    chatId,
    focus: 'composer',
    overlay: 'none',
    helpScroll: 0,
    composer: EMPTY_FIELD,
    drafts: new Map(),
    card: {
      current: { kind: 'none' },
      shownAt: 0,
      scroll: 0,
      isSeen: false,
      choice: { kind: 'none' },
      sending: new Set(),
      taken: new Set(),
    },
    scroll: { kind: 'end' },
    pickedChat: 0,
    isSideOpen: false,
    isWide: false,
    said: undefined,
  };
}

export function isArmed({ shownAt, sending, current }: CardUi, now: number): boolean {
  return current.kind === 'open' && !sending.has(current.id) && now - shownAt >= ARMING_MS;
}
