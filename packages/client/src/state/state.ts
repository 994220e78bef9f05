import type {
  Attachment,
  Agent,
  ApprovalOption,
  AskReason,
  CallSandbox,
  ChatStatus,
  Filed,
  CRUDEvent,
  Effect,
  MessageAttachment,
  NeededSignatures,
  CallContext,
  NoEffect,
  Prediction,
  Preview,
  Question,
  SessionOffer,
  Scope,
  Signature,
  FailedOutcome,
  Usage,
  Who,
  World,
} from '@countersign/protocol';
import type { Connection } from '../http/events.js';
import type { Reader } from './reader.js';
import type { Rows } from './rows.js';
import type { Table } from './table.js';

export type Loading = { kind: 'loading' } | { kind: 'ready' } | { kind: 'failed'; why: string };

/** The author of a message, derived from its source, never from a name (WORLD4). */
export type Speaker =
  /** `name`: as the sender gave it, `human` by default. `who`: as the server knows it. */
  | { kind: 'person'; name: string; who?: Who }
  | { kind: 'agent'; agentId: string }
  | { kind: 'world' }
  /** `agentId`: the agent whose turn ended without an answer, if the message says why. */
  | { kind: 'system'; agentId?: string };

/** A line of the transcript. Tool results, approvals and decisions are shown with the invocations of the message that made the call. */
export interface TranscriptMessage {
  readonly messageId: string;
  readonly speaker: Speaker;
  readonly content: string;
  /** The model's thinking before this answer, if the vendor shows it. */
  readonly thinking?: string;
  readonly createdAt: string;
  /** The message that this one answers; it may not be loaded. */
  readonly replyToMessageId?: string;
  /** The id assigned by the sender. */
  readonly clientMessageId?: string;
  /** The calls in this message, in call order, as keys of `invocations`. */
  readonly invocationIds: readonly string[];
  /** Tokens used by the model call, if known. */
  readonly usage?: Usage;
  /** Who stopped this answer before it was complete. */
  readonly stoppedBy?: Who;
  readonly attachments?: readonly MessageAttachment[];
}

/** How an approval ended. */
export interface Decision {
  readonly outcome: 'approved' | 'denied' | 'expired' | 'superseded' | 'answered';
  readonly scope: Scope;
  /** Who decided. Absent until the message with the decision arrives. */
  readonly by?: Who;
  /** The device or client from which it was decided, if known. */
  readonly via?: string;
  /** Everyone who signed, if several people had to. The last one is `by`. */
  readonly signers?: readonly Signature[];
  readonly at: string;
  /** For an expired approval: how long it waited. */
  readonly waitedMs?: number;
  readonly reason?: string;
  /**
   * Set if a grant or rule released the call (`scope` says which) instead of an individual approval. `by` is the author of the grant or rule
   * (CALL5).
   */
  readonly released?: { readonly rule?: string };
  /** The rule that lets an agent decide. Set only if `by` is an agent (SIGN3). */
  readonly rule?: string;
  /** The text answer to a question. */
  readonly answer?: string;
  /** The arguments as the person edited them before approving (CALL7). */
  readonly editedArguments?: unknown;
}

/** An approval for one invocation (CALL3), with its decision once made. Arguments are masked (SAFE6). */
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
  /** The program that proposed the call has stopped asking for the answer. Only known for listed approvals (EXT1.9). */
  readonly abandoned?: true;
  readonly preview?: Preview;
  /** What the call will do, if it was rehearsed. A yes applies exactly this. */
  readonly effect?: Effect;
  /** What the call will probably do, if another program runs it itself (CHANGE9). */
  readonly prediction?: Prediction;
  /** Why there is no effect to show. */
  readonly noEffect?: NoEffect;
  /** What the program outside that proposed the call says about its session. Nobody checked it. */
  readonly claimedContext?: CallContext;
  readonly reason: AskReason;
  /** Who must sign, and who has, for each rule that says so (SIGN1). */
  readonly needs?: readonly NeededSignatures[];
  /** What "for this chat" can cover. Absent if it isn't offered. */
  readonly session?: SessionOffer;
  readonly proposedRule?: string;
  /** False if the arguments can't be edited (EXT3). */
  readonly editable?: false;
  /** Set if a person edited the call (CALL7.4). */
  readonly edited?: true;
  /** Present if this is a question to answer with text, not a call to approve. */
  readonly question?: Question;
  /** Absent while pending. */
  readonly decision?: Decision;
}

/**
 * Status of a call, derived in `invocations.ts`. `proposed`: not started, and either needs no approval or has not been asked about yet.
 * `approved`: approved but not started.
 */
export type InvocationStatus =
  | { readonly kind: 'proposed' }
  | { readonly kind: 'asked'; readonly approvalId: string }
  | { readonly kind: 'approved' }
  | { readonly kind: 'running' }
  /** `outcome`: a program outside was allowed to run the call, and didn't report how it ended (EXT1). */
  | {
      readonly kind: 'succeeded';
      readonly result: unknown;
      readonly attachments?: readonly Attachment[];
      readonly outcome?: 'not-reported';
    }
  /** `outcome`: set if the outcome is unknown; says why (STORE3). Or `not-claimed`: approved, but nothing ran (EXT1.10). */
  | {
      readonly kind: 'failed';
      readonly error: string;
      readonly outcome?: FailedOutcome;
      readonly result?: unknown;
      readonly attachments?: readonly Attachment[];
    }
  | { readonly kind: 'denied'; readonly reason: string }
  | { readonly kind: 'expired'; readonly reason: string };

export type CallEnd = Extract<InvocationStatus, { kind: 'succeeded' | 'failed' | 'denied' }>;

/** A tool call from request to end. */
export interface Invocation {
  readonly invocationId: string;
  readonly status: InvocationStatus;
  /** Empty, like the agent, until the message that made the call is loaded. */
  readonly toolName: string;
  readonly agentId: string;
  /** The model's arguments, masked. A string if the model's JSON was truncated. */
  readonly arguments: unknown;
  /** The arguments edited by a person before approving (CALL7): these are the ones that ran. */
  readonly editedArguments?: unknown;
  /** The message that made the call; absent while it is not loaded. */
  readonly messageId?: string;
  /** All approvals for the call, oldest first, as keys of `approvals`. */
  readonly approvalIds: readonly string[];
  readonly startedAt?: string;
  readonly settledAt?: string;
  /** How the call ended, and the source of that information; views read `status`. */
  readonly end?: { readonly as: CallEnd; readonly toldBy: 'summary' | 'event' | 'message' };
  /** Set once a person has reverted what the call had changed (CHANGE10). */
  readonly undone?: { readonly by: Who; readonly at: string };
}

/** An answer being streamed. Chunks are not stored, so it is removed when its message arrives. */
export interface LiveStream {
  readonly messageId: string;
  readonly agentName: string;
  readonly agentId?: string;
  readonly attempt: number;
  /** The number of missed characters before `text`: a view that joined late shows an ellipsis. */
  readonly missing: number;
  readonly text: string;
  /** The thinking so far, or the end of it that this view received. */
  readonly thinking: string;
  /** Characters of thinking so far, including those that this view missed. */
  readonly thinkingLength: number;
  /** Whether the answer is complete and its message is about to arrive. */
  readonly ended: boolean;
}

/** The end of a running call's output, in order of arrival. Not stored. */
export interface OutputTail {
  readonly parts: readonly { readonly stream: 'stdout' | 'stderr'; readonly text: string }[];
  /** The number of characters dropped before the tail. */
  readonly dropped: number;
  readonly length: number;
}

/** Information for people that is not in the transcript. After a reload, it is gone. */
export interface Notice {
  readonly eventId: number;
  readonly chatId?: string;
  readonly type: 'error' | 'notice';
  readonly message: string;
  /** The last line of the transcript when the notice arrived. */
  readonly afterMessageId?: string;
}

/** Approvals and their decisions. The first in `queue` is "1 of n" (CALL12). */
export interface ApprovalBook {
  readonly approvals: Table<ApprovalView>;
  /** Ids of pending approvals, oldest first. */
  readonly queue: readonly string[];
  /** Decisions by approval id, including those for approvals that are not loaded. */
  readonly decisions: Table<Decision>;
}

/** Everything a chat view shows. Immutable: unchanged parts keep their identity. */
export interface ChatState extends ApprovalBook {
  readonly worldId: string;
  readonly chatId: string;
  readonly loading: Loading;
  readonly connection: Connection;
  readonly title: string;
  readonly status: ChatStatus;
  readonly createdAt: string;
  /** The first chat of its branches. Absent without branches. */
  readonly branchOf?: string;
  /** Whether the chat was deleted. */
  readonly deleted: boolean;
  readonly agents: readonly Agent[];
  /** Who reads this. Undefined if the server doesn't say. */
  readonly me: Reader | undefined;
  /** Ids of the loaded lines, oldest first. */
  readonly transcript: Rows<string>;
  readonly messages: Table<TranscriptMessage>;
  /**
   * Whether there are older lines. `failed`: loading them failed. Only scrolling or a reconnect retries, so that the view doesn't keep sending
   * requests to a server that is down.
   */
  readonly older: { readonly kind: 'none' } | { readonly kind: 'more' | 'loading' | 'failed'; readonly before: string };
  readonly invocations: Table<Invocation>;
  /** Ids of calls that have not ended, in no particular order. */
  readonly openInvocations: readonly string[];
  readonly streams: readonly LiveStream[];
  readonly outputs: ReadonlyMap<string, OutputTail>;
  readonly notices: readonly Notice[];
  /** The id of the last event that this state includes. */
  readonly lastEventId: number;
  /** The id of the last event that the title and status included when fetched. */
  readonly chatShownAt: number;
  /** The id of the last event that the newest page included: earlier messages that are not in it are on older pages. */
  readonly pageShownAt: number;
}

export interface ChatSummary {
  readonly id: string;
  readonly title: string;
  readonly status: ChatStatus;
  /** Undefined: in its usual place. */
  readonly filed: Filed | undefined;
  readonly createdAt: string;
  /** The number of pending approvals in the chat that the reader can decide. */
  readonly waiting: number;
  /** The id of the last event that this summary included when fetched. */
  readonly shownAt: number;
}

/** Everything a world view shows: its chats, agents and pending approvals. */
export interface WorldState extends ApprovalBook {
  readonly worldId: string;
  /** The cursor for the next page of pending approvals; undefined if all are loaded. Approvals requested since the load are already in `queue`. */
  readonly laterApprovals: string | undefined;
  readonly loading: Loading;
  readonly connection: Connection;
  readonly world: World | undefined;
  /** Whether the world was deleted. */
  readonly deleted: boolean;
  readonly agents: readonly Agent[];
  /** Who reads this. Undefined if the server doesn't say. */
  readonly me: Reader | undefined;
  /** Newest first. */
  readonly chats: readonly ChatSummary[];
  /** Open and queued turns, as last reported by the server (WORLD8). */
  readonly pendingOperations: number;
  readonly notices: readonly Notice[];
  /** Counts the changes per entity, to detect outdated data. */
  readonly revisions: Readonly<Partial<Record<CRUDEvent['entity'], number>>>;
  readonly lastEventId: number;
}
