import type { Answer, ApprovalView, ChangeEntry, ChatState, Current, WorldState } from '@countersign/client';
import type { UndoableCall, UndoPreview } from '@countersign/protocol';
import { EMPTY_FIELD, type Field } from './keys/field.js';
import type { FormDraft } from './keys/form.js';
import type { Scroll } from './transcript/transcript-window.js';

export type Focus = 'composer' | 'card' | 'transcript' | 'chats';

/** The selected choice. Nothing is selected by default (CALL15). */
export type Choice =
  | { readonly kind: 'none' }
  | { readonly kind: 'once' }
  /** `isNarrow`: the grant covers only calls like this one. */
  | { readonly kind: 'session'; readonly isNarrow: boolean }
  | { readonly kind: 'deny'; readonly field: Field }
  | { readonly kind: 'always'; readonly field: Field }
  | { readonly kind: 'edit'; readonly field: Field; readonly problem?: string }
  | { readonly kind: 'answer'; readonly field: Field }
  | { readonly kind: 'form'; readonly draft: FormDraft };

/** Whether keys type text here instead of running commands. */
export function isWriting(choice: Choice): boolean {
  return 'field' in choice || choice.kind === 'form';
}

/** Waiting calls that the choice would also run, from row `from`. `key` identifies the choice and the calls. */
export interface Covered {
  readonly key: string;
  readonly count: number;
  readonly rows: readonly string[];
  readonly from: number;
}

export interface CardUi {
  readonly current: Current;
  /** When this card got the focus, in milliseconds. */
  readonly shownAt: number;
  readonly scroll: number;
  /** Whether the end of the call has been visible; it can't be approved before that. */
  readonly isSeen: boolean;
  readonly choice: Choice;
  /** Waiting calls that the choice would also run, from the server; `key` identifies the decision. */
  readonly covered?: Covered | undefined;
  /** The unmasked arguments of one card, once revealed (SAFE6). */
  readonly revealed?: { readonly id: string; readonly arguments: unknown } | undefined;
  readonly sending: ReadonlySet<string>;
  readonly taken: ReadonlySet<string>;
  /** Approvals whose edit was sent and that another one replaces, because people see the edited call first (CALL7.4). */
  readonly edits?: readonly ApprovalView[] | undefined;
}

/** Undoing a call of the open chat: choose it, see what undoing it will do, confirm that (CHANGE10). */
export type UndoUi =
  | { readonly kind: 'loading' }
  | { readonly kind: 'list'; readonly calls: readonly UndoableCall[]; readonly picked: number }
  | {
      readonly kind: 'preview';
      readonly call: UndoableCall;
      readonly preview: UndoPreview;
      readonly scroll: number;
      /** In milliseconds. */
      readonly shownAt: number;
    };

/** A change file by file. Nothing is decided here: that needs the card, and its end (CALL15). */
export interface ReviewUi {
  readonly approvalId: string;
  /** With the files of the folders that the person opened. */
  readonly entries: readonly ChangeEntry[];
  readonly at: number;
  /** Whether the lines of the file are shown, or the list. */
  readonly isOpen: boolean;
  readonly scroll: number;
  /** Why it is not all of the change yet. */
  readonly note: string;
}

interface StatusMessage {
  readonly text: string;
  readonly isBad: boolean;
}

/** `chatId`: undefined for a message that starts a chat. */
export interface Unsent {
  readonly chatId: string | undefined;
  readonly text: string;
}

/** State of the UI. Data comes only from the client's stores. */
export interface UiState {
  /** Undefined for a chat that is created with its first message. */
  readonly chatId: string | undefined;
  readonly focus: Focus;
  readonly overlay: 'none' | 'help' | 'leave' | 'undo' | 'review';
  readonly undo: UndoUi;
  readonly review: ReviewUi;
  readonly helpScroll: number;
  readonly composer: Field;
  /** For chats that are not open, by chat id; '' is a chat that doesn't exist yet. */
  readonly drafts: ReadonlyMap<string, Field>;
  /** Messages that the server hasn't confirmed yet, oldest first. */
  readonly unsent: readonly Unsent[];
  readonly card: CardUi;
  readonly scroll: Scroll;
  /** The selected row of the chat list; 0 is a new chat. */
  readonly pickedChat: number;
  /** On a narrow screen, whether the chat list is open above everything else. */
  readonly isSideOpen: boolean;
  /** Whether the full output of calls is shown. */
  readonly isWide: boolean;
  readonly status: StatusMessage | undefined;
}

/** Side effects. */
export type Effect =
  | { readonly kind: 'send'; readonly text: string }
  | { readonly kind: 'stop' }
  /** With this text in place of the last message; empty: after the last answer. */
  | { readonly kind: 'branch'; readonly text: string }
  /** An empty name: one from the title. */
  | { readonly kind: 'export'; readonly file: string }
  | { readonly kind: 'cost' }
  | { readonly kind: 'open-chat'; readonly chatId: string | undefined }
  /** `id` may be the start of one. */
  | { readonly kind: 'find-chat'; readonly id: string }
  | { readonly kind: 'decide'; readonly approval: ApprovalView; readonly answer: Answer }
  | { readonly kind: 'answer'; readonly approval: ApprovalView; readonly words: string }
  /** In the person's editor. */
  | { readonly kind: 'edit'; readonly approval: ApprovalView }
  | { readonly kind: 'reveal'; readonly approvalId: string }
  | { readonly kind: 'load-review'; readonly approval: ApprovalView }
  | { readonly kind: 'list-undo' }
  | { readonly kind: 'preview-undo'; readonly call: UndoableCall }
  | { readonly kind: 'undo'; readonly call: UndoableCall; readonly effectHash: string }
  | { readonly kind: 'leave' };

export interface Pressed {
  readonly ui: UiState;
  readonly effects: readonly Effect[];
}

/** The data, and the space available for it. */
export interface Facts {
  readonly world: WorldState;
  readonly chat: ChatState | undefined;
  readonly now: number;
  /** Whether the chat list is shown next to the chat. */
  readonly hasSide: boolean;
  readonly suggestions: readonly string[];
  /** Whether calls are edited in the person's editor. */
  readonly hasEditor: boolean;
  /** The card, its visible and total lines, and whether part of the call is missing from them. */
  readonly card: {
    readonly id: string | undefined;
    readonly height: number;
    readonly length: number;
    readonly isCut: boolean;
  };
  /** Visible and total lines of the help. */
  readonly help: { readonly height: number; readonly length: number };
  /** Visible and total lines of a file of the change. */
  readonly review: { readonly height: number; readonly length: number };
  /** Visible and total lines of what undoing a call will do. */
  readonly undo: { readonly height: number; readonly length: number };
  readonly transcript: {
    readonly height: number;
    by(scroll: Scroll, delta: number): Scroll;
    top(): Scroll;
  };
}

/** How long a newly focused card ignores keys: they were meant for what was shown before. */
export const ARMING_MS = 500;

export function initialUi(chatId: string | undefined): UiState {
  return {
    chatId,
    focus: 'composer',
    overlay: 'none',
    undo: { kind: 'loading' },
    review: { approvalId: '', entries: [], at: 0, isOpen: false, scroll: 0, note: '' },
    helpScroll: 0,
    composer: EMPTY_FIELD,
    drafts: new Map(),
    unsent: [],
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
    status: undefined,
  };
}

export function isArmed({ shownAt, sending, current }: CardUi, now: number): boolean {
  return current.kind === 'open' && !sending.has(current.id) && now - shownAt >= ARMING_MS;
}
