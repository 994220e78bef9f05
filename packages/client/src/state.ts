import type {
  Agent,
  ApprovalOption,
  AskReason,
  CallSandbox,
  ChatStatus,
  CRUDEvent,
  Preview,
  Question,
  Scope,
  UnknownOutcome,
  Usage,
  World,
} from '@countersign/protocol';
import type { Rows } from './rows.js';
import type { Table } from './table.js';

/** How the stream of events stands. While it is `reconnecting` what is shown may be old; nothing is lost. */
export type Connection =
  | { kind: 'connecting' }
  | { kind: 'open' }
  /** `retryAt` is a time of the local clock, in milliseconds. */
  | { kind: 'reconnecting'; attempt: number; retryAt: number; why: string }
  /** Ended for good: closed by us, or refused with words that a person has to act on, and the HTTP status they came with. */
  | { kind: 'closed'; why?: string; status?: number };

export type Loading = { kind: 'loading' } | { kind: 'ready' } | { kind: 'failed'; why: string };

/** Who said something, known from how it came in and never from a name (M4). */
export type Speaker =
  | { kind: 'person'; name: string }
  | { kind: 'agent'; agentId: string }
  | { kind: 'world' }
  | { kind: 'system' };

/**
 * One line of the transcript. Tool results, questions and decisions are no lines of their own: they are told by the invocations of
 * the message that made the call.
 */
export interface TranscriptMessage {
  readonly messageId: string;
  readonly speaker: Speaker;
  readonly content: string;
  readonly createdAt: string;
  /** The message this one answers; it may lie in a part that is not loaded. */
  readonly replyToMessageId?: string;
  /** As its sender named it before the server did. */
  readonly clientMessageId?: string;
  /** The calls this message made, in call order: look them up in `invocations`. */
  readonly invocationIds: readonly string[];
  /** Tokens of the model call, where the server tells them. */
  readonly usage?: Usage;
}

/** How a question ended. */
export interface Decision {
  readonly outcome: 'approved' | 'denied' | 'expired' | 'superseded' | 'answered';
  readonly scope: Scope;
  /** Who signed; `system` for what no person decided. */
  readonly by: string;
  /** From which client, where the server tells it. */
  readonly client?: string;
  readonly at: string;
  /** Of a question that expired: how long it could have been answered. */
  readonly waitedMs?: number;
  readonly reason?: string;
  /** Nobody signed this very call: a grant or a rule covers it, as `scope` says. `by` gave or wrote it (A5). */
  readonly released?: { readonly rule?: string };
  /** The words that a question was answered with. */
  readonly answer?: string;
  /** What the person made of the call before they signed it (A7). */
  readonly editedArguments?: unknown;
}

/** One question put to people about one invocation (A3), with its answer once there is one. Arguments are masked (A15). */
export interface ApprovalView {
  readonly approvalId: string;
  readonly invocationId: string;
  readonly chatId: string;
  readonly agentId: string;
  readonly toolName: string;
  readonly arguments: unknown;
  readonly message: string;
  readonly options: readonly ApprovalOption[];
  readonly callHash: string;
  readonly requestedAt: string;
  readonly expiresAt?: string;
  readonly workingDirectory: string;
  readonly sandbox: CallSandbox;
  readonly preview?: Preview;
  readonly reason: AskReason;
  readonly proposedRule?: string;
  /** Present when it is no call to sign but a question to be answered with words. */
  readonly question?: Question;
  /** Absent while it waits. */
  readonly decision?: Decision;
}

/**
 * Where a call stands. What each lifecycle event means is written in `invocations.ts`, once.
 * `proposed`: needs no question, or none yet, and has not begun. `approved`: signed, has not begun.
 */
export type InvocationStatus =
  | { readonly kind: 'proposed' }
  | { readonly kind: 'asked'; readonly approvalId: string }
  | { readonly kind: 'approved' }
  | { readonly kind: 'running' }
  | { readonly kind: 'succeeded'; readonly result: unknown }
  /** `outcome`: nobody knows how far it got, and why (S3). */
  | { readonly kind: 'failed'; readonly error: string; readonly outcome?: UnknownOutcome; readonly result?: unknown }
  | { readonly kind: 'denied'; readonly reason: string }
  | { readonly kind: 'expired'; readonly reason: string };

export type CallEnd = Extract<InvocationStatus, { kind: 'succeeded' | 'failed' | 'denied' }>;

/** One tool call, through its whole life. */
export interface Invocation {
  readonly invocationId: string;
  readonly status: InvocationStatus;
  /** Empty, as the agent is, while nothing but its result is loaded: the message that made the call is further up. */
  readonly toolName: string;
  readonly agentId: string;
  /** As the model proposed it, masked; text where a model broke its JSON off. */
  readonly arguments: unknown;
  /** What a person made of it before approving (A7): this is what ran. */
  readonly editedArguments?: unknown;
  /** The message it belongs under; absent while that message is not loaded. */
  readonly messageId?: string;
  /** Every question asked about it, oldest first. Look them up in `approvals`. */
  readonly approvalIds: readonly string[];
  readonly startedAt?: string;
  readonly settledAt?: string;
  /** How it ended as it was told, and by what; views read `status`. */
  readonly end?: { readonly as: CallEnd; readonly toldBy: 'summary' | 'event' | 'message' };
}

/** An answer being spoken. Chunks are heard, not stored: it goes when the message it adds up to arrives. */
export interface LiveStream {
  readonly messageId: string;
  readonly agentName: string;
  readonly agentId?: string;
  readonly attempt: number;
  /** How many characters before `text` were not heard: a view that joined late shows an ellipsis for them. */
  readonly missing: number;
  readonly text: string;
  /** All of it was said; the message is about to come. */
  readonly ended: boolean;
}

/** The last of what a running call wrote, in the order it came. Heard, not stored. */
export interface OutputTail {
  readonly parts: readonly { readonly stream: 'stdout' | 'stderr'; readonly text: string }[];
  /** Characters that came before and were let go. */
  readonly dropped: number;
  readonly length: number;
}

/** Something a person should know that nobody said. Not in the transcript: a page that is loaded anew does not show it again. */
export interface Notice {
  readonly eventId: number;
  readonly chatId?: string;
  readonly type: 'error' | 'notice';
  readonly message: string;
  /** The last line of the transcript when it came. */
  readonly afterMessageId?: string;
}

/** Questions and their answers. The first of `queue` is "1 of n" (A12). */
export interface ApprovalBook {
  readonly approvals: Table<ApprovalView>;
  /** Ids of those that wait, oldest first. */
  readonly queue: readonly string[];
  /** Answers by the approval's id, also of questions that are not loaded. */
  readonly decisions: Table<Decision>;
}

/** Everything a view of one chat shows. Immutable: what did not change is the same object. */
export interface ChatState extends ApprovalBook {
  readonly worldId: string;
  readonly chatId: string;
  readonly loading: Loading;
  readonly connection: Connection;
  readonly title: string;
  readonly status: ChatStatus;
  readonly createdAt: string;
  /** True once somebody has deleted it. */
  readonly deleted: boolean;
  readonly agents: readonly Agent[];
  /** Ids of the lines that are loaded, oldest first. */
  readonly transcript: Rows<string>;
  readonly messages: Table<TranscriptMessage>;
  /**
   * Whether there are lines before the first loaded one. `failed`: they were asked for in vain; only a person who scrolls on asks
   * again, or a connection that is back. A view that asked by itself would ask a server that is away without a pause.
   */
  readonly older: { readonly kind: 'none' } | { readonly kind: 'more' | 'loading' | 'failed'; readonly before: string };
  readonly invocations: Table<Invocation>;
  /** Ids of calls that have not ended, in no order that means anything. */
  readonly openInvocations: readonly string[];
  readonly streams: readonly LiveStream[];
  readonly outputs: ReadonlyMap<string, OutputTail>;
  readonly notices: readonly Notice[];
  /** How far in the log this state is true. */
  readonly lastEventId: number;
  /** How far in the log title and status were true when they were last fetched. */
  readonly chatShownAt: number;
  /** How far in the log the newest page of messages was true: what was written up to there, and is not in it, is further up. */
  readonly pageShownAt: number;
}

export interface ChatSummary {
  readonly id: string;
  readonly title: string;
  readonly status: ChatStatus;
  readonly createdAt: string;
  /** How many approvals wait in it. */
  readonly waiting: number;
  /** How far in the log this was true when it was last fetched. */
  readonly shownAt: number;
}

/** Everything a view of a whole world shows: its chats and agents, and what waits for a person in any of them. */
export interface WorldState extends ApprovalBook {
  readonly worldId: string;
  /**
   * Where the server's list of waiting approvals continues: only its first pages are loaded. Undefined: all of it is. Approvals that
   * were asked for since the load are in `queue` either way.
   */
  readonly laterApprovals: string | undefined;
  readonly loading: Loading;
  readonly connection: Connection;
  readonly world: World | undefined;
  /** True once somebody has deleted it. */
  readonly deleted: boolean;
  readonly agents: readonly Agent[];
  /** Newest first. */
  readonly chats: readonly ChatSummary[];
  /** Open and queued turns, as the server last said (M8). */
  readonly pendingOperations: number;
  readonly notices: readonly Notice[];
  /** Counts the changes of each kind of thing: what was fetched at another count is old. */
  readonly revisions: Readonly<Partial<Record<CRUDEvent['entity'], number>>>;
  readonly lastEventId: number;
}
