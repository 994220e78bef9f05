import type {
  Attachment,
  CallSandbox,
  Effect,
  NoEffect,
  Prediction,
  Preview,
  Question,
  Subject,
  ToolDefinition,
} from '@countersign/protocol';
import type { WorldHandle } from './world-handle.js';

/** A file for `ToolContext.attach`. */
export interface NewAttachment {
  /** The claimed type. The type of an image is determined from its content. */
  mimeType: string;
  /** The content in base64. */
  base64: string;
}

/** The context of a running call (TURN15). */
export interface ToolContext {
  /** The world that the call runs in. */
  worldId: string;
  /** The agent that made the call. */
  agentId: string;
  /** The chat that the call was made in. */
  chatId: string;
  /** The id of the call, unique in the store. */
  invocationId: string;
  /** For a tool with `external`: the id that the provider gave the call. */
  vendorId?: string;
  /** For a tool with `external`: the ids that the provider gave those calls of the same answer that haven't ended. */
  openCalls?: () => Promise<readonly string[]>;
  /** The real path of the world's working folder. */
  workingDirectory: string;
  /** The folders and hosts that rules allow inside the sandbox. Absent if there are none. */
  sandboxGrants?: {
    folders: readonly string[];
    mayReach?: (host: string) => boolean;
    /** Private addresses, or `localhost`, that a rule names with a port. */
    privateHosts?: readonly string[];
  };
  /**
   * Whether a deny rule, or an ask rule that wasn't approved, applies to this absolute path. A tool that walks a folder skips such
   * paths (RULE1). If absent, nothing is withheld.
   */
  withheld?: (path: string) => boolean;
  /** Paths to hide from programs that the call starts, because the arguments don't show which files a program opens. */
  protectedPaths?: ProtectedPaths | undefined;
  /**
   * Set if nobody approved the call (`auto`): whether an allow rule for `write_file` names this absolute path. New dot-files, files in dot-folders
   * and executables are kept only if it returns true (CHANGE4). If absent, all are kept.
   */
  mayCreate?: (path: string) => boolean;
  /**
   * The result of `fingerprint` when the call was signed. If the fingerprint has changed, the tool must not act. For a rehearsed call: the
   * fingerprint of its rehearsal, which the tool applies instead of running the call.
   */
  fingerprint?: string;
  /** The result of `hold` for this call. It is released when `execute` has ended. */
  hold?: Hold;
  /** The tool calls it before it runs the call once more, because nothing of the last attempt took effect. The audit record has their number. */
  again?: () => void;
  /** Aborts on stop, timeout or shutdown. Everything that the tool started must end with it. */
  signal: AbortSignal;
  /** Shows output to people while the tool runs (TURN13). The model doesn't get it. */
  output: (text: string, stream?: 'stdout' | 'stderr') => void;
  /**
   * Asks people a question while the tool runs, in the approval queue, and resolves to the answer. Rejects with `NoAnswer` if nobody answers
   * or the call is stopped. The question ends with the call. Absent if nobody can be asked.
   */
  ask?: (question: Question) => Promise<string>;
  /**
   * Keeps a file with the result of the call (TURN16): people see it, and models that accept images receive it. Returns its description, or why
   * it was refused. Absent in a unit test of the tool.
   */
  attach?: (file: NewAttachment) => Attachment | { refused: string };
  /** Absent if the call has no world, as in a unit test of the tool. */
  world?: WorldHandle;
}

/**
 * Paths that rules protect from a program. The program could reach a denied path through a symlink, a script or a file search, so the code that
 * starts it finds these paths and hides them.
 */
export interface ProtectedPaths {
  /** Expects an absolute path. */
  readonly isProtected: (path: string) => boolean;
  /**
   * Whether a folder may contain protected paths. `fixed`: only at names that a rule spells out. `outside` the call's folders, only rules with an
   * anchored path apply, because searching a whole disk isn't feasible.
   */
  readonly mayHold: (folder: string, where: 'inside' | 'outside') => 'nothing' | 'fixed' | 'anything';
}

/** The context for functions that inspect the target before approval. */
export interface ToolPlace {
  /** The real path of the world's working folder. */
  workingDirectory: string;
  /** Set if the program that runs the call didn't say in which folder it works. A relative path may then mean any file. */
  isFolderUnknown?: true;
  /** The real path of the world's folder, if another program runs the call in a different one, which is then `workingDirectory`. */
  worldDirectory?: string;
  /** The real path of `workingDirectory`, if that program named it by a link. */
  realDirectory?: string;
  /** Whether rules hide the content of this absolute path. If absent, they hide nothing. */
  isHidden?: ((path: string) => boolean) | undefined;
}

/** Keeps others from changing what a call is about to change. */
export interface Hold {
  /** Must be called once the call has ended, or won't start. Resolves when others may go on. */
  release(): Promise<void>;
}

/** A signed call that is about to start. */
export interface HoldContext extends Pick<ToolContext, 'workingDirectory' | 'invocationId'> {
  /** See `ToolContext.fingerprint`. */
  readonly fingerprint: string;
}

/** The context of a rehearsal: what the same call would get when it runs, without the ways to reach people. */
export type RehearsalContext = Pick<
  ToolContext,
  | 'worldId'
  | 'agentId'
  | 'chatId'
  | 'invocationId'
  | 'workingDirectory'
  | 'sandboxGrants'
  | 'withheld'
  | 'protectedPaths'
  | 'mayCreate'
  | 'signal'
>;

/** Where another program would run a call, and which rules apply to it there. */
export type PredictionContext = Pick<RehearsalContext, 'workingDirectory' | 'signal'> & {
  /** The folder in which the program works, as it names it. Its real path must be in the working folder. */
  readonly folder: string;
  /** The folder that the call names to start in, also relative to `folder`. The same holds for it. */
  readonly named?: string;
  /** The paths to hide from the call, if `./` in rules refers to these folders as well: the one that it names, and real paths. */
  readonly protectedIn: (...others: readonly string[]) => ProtectedPaths | undefined;
};

/** What a rehearsal did, which says nothing certain about the real run, or the reason why there was none. */
export type Predicted = { readonly prediction: Prediction } | { readonly noEffect: NoEffect };

/**
 * Every path that a rehearsal adds, changes or removes, unmasked, for rules about effects. Paths are relative to the working folder, which is `.`
 * itself. A move is a removed and an added path. A path whose permissions or link target change is changed.
 */
export interface EffectPaths {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  /** Includes everything in a folder that is removed. */
  readonly removed: readonly string[];
  /** New or changed links that may lead out of the working folder. No rule allows them. */
  readonly outward: readonly string[];
  /** Changes that will not be applied. No rule allows a call with one. */
  readonly leftOut: readonly string[];
  /** Branches and tags that it creates, moves or deletes, with their whole names. Absent if there are none. */
  readonly refs?: readonly string[];
}

/** The preview of a tool that only writes a file: its effect is known without a rehearsal (CHANGE7). */
export interface EffectPreview extends Preview {
  readonly effect: Effect;
}

/**
 * What a call of another program will probably write, computed from its arguments and the files as they are now (CHANGE9.6), or why that is unknown. The
 * fingerprint stands for the files that were read.
 */
export type PredictedChange = { readonly fingerprint: string } & (
  | { readonly preview: Preview; readonly prediction: Prediction }
  | { readonly noEffect: NoEffect }
);

/** What a rehearsal found: the effect with its fingerprint, or the reason why it found no effect. */
export type Rehearsal =
  | {
      readonly fingerprint: string;
      readonly effect: Effect;
      /** Absent if there are too many paths to list. Rules about effects then treat the effect as unknown. */
      readonly paths?: EffectPaths;
    }
  | { readonly fingerprint: undefined; readonly noEffect: NoEffect };

/**
 * Runs a call in a draft before a person is asked, so that they sign what it will do. A rehearsal touches nothing outside its draft. Only
 * calls that need approval are rehearsed.
 */
export interface Rehearsals {
  /**
   * Idempotent: returns the kept rehearsal of `context.invocationId` while it has the same arguments and its base is unchanged, and otherwise
   * rehearses again. Keeps the draft on disk until `drop`. Must end when `context.signal` aborts, and must set its own time limit. If it
   * rejects, the call needs approval without an effect.
   */
  rehearse(args: unknown, context: RehearsalContext): Promise<Rehearsal>;
  /** Deletes what is kept for a call that has ended. Does nothing if there is nothing. */
  drop(invocationId: string): Promise<void>;
  /**
   * The kept effect with this hash, truncated less than the one that `rehearse` returned. Undefined if it isn't kept on this machine. Ends when the
   * signal aborts.
   */
  show?(invocationId: string, effectHash: string, signal: AbortSignal): Promise<Effect | undefined>;
  /** The ids of the calls that something is kept for on this machine. */
  list(): Promise<readonly string[]>;
  /** What the call would do if another program ran it (CHANGE9). Keeps nothing. Must end when the signal aborts. */
  predict?(args: unknown, context: PredictionContext): Promise<Predicted>;
}

/** Where a call of a batch runs before anybody is asked: in a copy of the working folder, after the calls before it (CHANGE11). */
export interface DraftContext extends RehearsalContext {
  /** The real path of the copy. */
  readonly copy: string;
}

/** What a call did in a copy, which has its changes now, or why it has none of them. `result`: what the model gets if it is approved. */
export type Drafted =
  | { readonly effect: Effect; readonly paths?: EffectPaths; readonly result: unknown }
  | { readonly failed: string }
  | { readonly noEffect: NoEffect };

/** What several calls change together. It waits for a decision, and doesn't survive this process. */
export interface SealedBatch {
  readonly effect: Effect;
  /** Absent if there are too many paths. */
  readonly paths?: EffectPaths;
  /** Like `effect`, truncated less. Ends when the signal aborts. */
  show(signal: AbortSignal): Promise<Effect>;
  /** Locks the folder. Undefined if someone else has changed a path of it. */
  hold(): Promise<Hold | undefined>;
  /** Applies all of it or nothing, once, in the name of these calls. Rejects with `ToolFailure`. */
  apply(callIds: readonly string[], hold: Hold): Promise<void>;
  /** Deletes it. Must always be called. */
  discard(): Promise<void>;
}

/** Makes drafts for several calls. */
export interface Batches {
  /**
   * Copies the folder, calls `run` with the copy, and seals what differs after that. Must end when the signal aborts. Rejects with `ToolFailure` if that
   * can't be done, and like `run`.
   */
  seal(workingDirectory: string, signal: AbortSignal, run: (copy: string) => Promise<void>): Promise<SealedBatch>;
}

/** A call of a built-in tool that does the same as a call of another tool. */
export interface StandIn {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly subjects: readonly Subject[];
}

/**
 * Whether a call can be undone. `conflict`: someone else has changed these paths since. `gone`: nothing is kept for the call on this machine,
 * because it changed nothing, is too old, or replaced too much.
 */
export type UndoState =
  | {
      readonly kind: 'ready';
      readonly effect: Effect;
      /** All paths of the effect, for rules. Undefined if there are too many. */
      readonly paths: EffectPaths | undefined;
      /** The folder that it changes. The call can be undone only while this is the world's folder. */
      readonly workingDirectory?: string;
      /** All calls that are undone with it, if it was approved with others. */
      readonly callIds?: readonly string[];
    }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }
  | { readonly kind: 'undone' }
  | { readonly kind: 'gone' };

/** Reverts what calls have changed. The tool keeps what it needs for that, and deletes it by its own limits. */
export interface Undos {
  /** What undoing the call would do now. Changes nothing. */
  preview(invocationId: string): Promise<UndoState>;
  /**
   * Reverts all changes of a call, or none if undoing it would not have exactly this effect; then returns its state. Returns `done` only if this
   * call of the function reverted it.
   */
  undo(invocationId: string, effectHash: string): Promise<UndoState | 'done'>;
  /** The calls that something is kept for on this machine, oldest first. `until`: when it is deleted, in milliseconds since 1970. */
  list(): Promise<readonly { readonly invocationId: string; readonly until: number }[]>;
}

/** The access that rules allow inside the sandbox, as shown to people. */
export interface OpenedToSandbox {
  readonly folders: readonly string[];
  readonly hosts: readonly string[];
  /** Set if every public host is reachable, regardless of `hosts`. */
  readonly anyHost: boolean;
  /** Private addresses, or `localhost`, that a rule names with a port. */
  readonly privateHosts: readonly string[];
}

/**
 * A tool in the form that the runtime uses. It never asks for approval itself: the gate decides before `execute` is called. The model gets the
 * return value, or the error if the tool throws, and the loop continues (TURN11).
 */
export interface Tool {
  /** The name, description and parameters, and whether calls need approval. */
  readonly definition: ToolDefinition;
  /** False for tools from MCP servers and clients until a person marks them trusted (CALL1). */
  readonly trusted: boolean;
  /**
   * The digest of the current definition, for a tool whose server may change it. While it differs from the accepted one, grants, allow rules and
   * trust don't apply.
   */
  readonly pin?: string;
  /**
   * How a call runs, for the card and the signature. Must claim only what is guaranteed. `opened`: the access that rules allow inside the
   * sandbox. `args`: those of a call, if it is about one. If absent, the tool runs in this process and its access is unknown.
   */
  sandbox?(opened: OpenedToSandbox, args?: unknown): CallSandbox;
  /**
   * Set if the tool runs programs without a sandbox that could enforce path rules (SAFE1). Each call then needs approval if there is such a rule.
   */
  readonly unconfined?: boolean;
  /**
   * Set if the program that proposes the calls runs them itself (EXT1). Only external and ACP agents can propose them. `execute` is called only for
   * an ACP agent (EXT3), and tells its program that it may run the call.
   */
  readonly external?: true;
  /**
   * Set if only the server itself proposes calls, each with an effect that was sealed before (RUN15). No agent is offered the tool, calls can only apply
   * their sealed effect, and of the allow rules only those about effects cover them.
   */
  readonly byServer?: true;
  /**
   * Pure: the built-in tool that a call stands for, such as `shell_cmd` for another program's shell. Its deny and ask rules apply too; its allow
   * rules don't, because they were written for sandboxed calls.
   */
  standsFor?(args: unknown, place: ToolPlace): StandIn | undefined;
  /**
   * Pure: the call of a built-in tool that does the same, to predict what this one does (CHANGE9): in the program's folder, or in the one that it names
   * (`folder`). Undefined if no built-in tool does exactly the same. Must not throw.
   */
  predictedBy?(args: unknown): (Pick<StandIn, 'tool' | 'arguments'> & { folder?: string }) | undefined;
  /**
   * For a tool with `external`: what the call will probably write, by the files as they are now. The signature covers its fingerprint. Undefined if the
   * tool writes no file. Must not reject.
   */
  predictChange?(args: unknown, place: ToolPlace): Promise<PredictedChange | undefined>;
  /** Validates arguments. `execute` gets the returned value. */
  validate(args: Record<string, unknown>): { ok: true; value: unknown } | { ok: false; error: string };
  /**
   * Pure: what a call touches, so that rules match what the call does. If absent, rules see the arguments as `name=value` words. `place` makes
   * relative paths absolute, because no allow rule covers a relative path.
   */
  subjects?(args: unknown, place: ToolPlace): readonly Subject[];
  /**
   * Inspects the target without side effects and reports subjects that the arguments don't show, such as a hard link. They are judged with
   * the other subjects when approval is requested and again when the call starts.
   */
  inspect?(args: unknown, place: ToolPlace): Promise<readonly Subject[]>;
  /**
   * Pure: whether the call touches nothing outside the working folder, because of a sandbox without network or because it names only paths in
   * the folder (RULE2). If absent, false. Ignored for an untrusted tool.
   */
  contained?(args: unknown, place: ToolPlace): boolean;
  /**
   * A fingerprint of state that the signature must cover besides the arguments, such as the old content of a file that would be overwritten
   * (CALL7).
   */
  fingerprint?(args: unknown, place: ToolPlace): Promise<string>;
  /**
   * Called before the step that starts a call with a fingerprint: waits until nobody else changes what the fingerprint stands for, and keeps others
   * from it. Undefined if it has changed; the call is then signed again. `execute` must also check it, because not every change can be prevented.
   */
  hold?(args: unknown, context: HoldContext): Promise<Hold | undefined>;
  /**
   * What the call would change, such as a diff, for the approval card. A plain string is treated as complete. Undefined if there is nothing to show.
   * No side effects.
   */
  preview?(args: unknown, place: ToolPlace): Promise<string | Preview | EffectPreview | undefined>;
  /**
   * Set if the tool can show what a call will do before it runs. A signed rehearsal's fingerprint takes the place of `fingerprint`, and `execute`
   * then applies what was rehearsed; it must never run the call instead. Ignored for an untrusted tool.
   */
  readonly rehearsals?: Rehearsals;
  /**
   * Runs the call in a copy of the working folder, if it touches nothing outside of it. Must end when `context.signal` aborts. Ignored for an untrusted
   * tool.
   */
  draft?(args: unknown, context: DraftContext): Promise<Drafted>;
  /** Set if the tool can make drafts for several calls, also of other tools. Ignored for an untrusted tool. */
  readonly batches?: Batches;
  /** Set if the tool can revert what its calls have changed. Only people can ask for it. Ignored for an untrusted tool. */
  readonly undos?: Undos;
  /**
   * For a tool that only asks people a question: the question is queued like an approval and survives restarts, and the answer is the tool's
   * result, so `execute` is never called. Ignored for an untrusted tool.
   */
  question?(args: unknown): Question;
  /** Set if another program's tool asks a person something (EXT1.27). Only for external tools. */
  readonly asks?: AskingTool;
  /** Runs the call. Called only after the gate has allowed it. */
  execute(args: unknown, context: ToolContext): Promise<unknown>;
}

/** How people answer what another program's tool asks. Both throw if the arguments aren't a question. */
export interface AskingTool {
  question(args: unknown): Question;
  answer(args: unknown, text: string): AnswerForProgram;
}

/** `answered`: the model gets this text, and nothing runs. `run`: the program continues. `send-back`: the call is denied with these comments. */
export type AnswerForProgram =
  | { readonly kind: 'answered'; readonly text: string }
  | { readonly kind: 'run' }
  | { readonly kind: 'send-back'; readonly comments: string }
  | { readonly kind: 'invalid'; readonly why: string };

declare const ARGUMENTS: unique symbol;

/** A tool whose name and arguments are known to TypeScript, so that its approvals are typed. Created by `defineTool`. */
export interface TypedTool<Name extends string = string, Arguments = unknown> extends Tool {
  /** The definition, with the name as a literal type. */
  readonly definition: ToolDefinition & { readonly name: Name };
  /** The type of the arguments before defaults are filled in. Never set. */
  readonly [ARGUMENTS]?: Arguments;
}

/** A tool that ran and failed with a result, such as a non-zero exit code with output (TURN15). */
export class ToolFailure extends Error {
  /** The name of the class. */
  override readonly name = 'ToolFailure';
  /** What the model gets besides the error. */
  readonly result: unknown;
  /** Set if the outcome is unknown. The same call then needs approval next time, regardless of rules (STORE3). */
  readonly outcomeUnknown: boolean;
  /** Set if somebody else had changed what the call was about to change, so that nothing took effect (CHANGE2). */
  readonly conflict: boolean;

  constructor(
    message: string,
    result?: unknown,
    { outcomeUnknown = false, conflict = false }: { outcomeUnknown?: boolean; conflict?: boolean } = {},
  ) {
    super(message);
    this.result = result;
    this.outcomeUnknown = outcomeUnknown;
    this.conflict = conflict;
  }
}

/** The program that runs the call didn't say how it ended (TURN4.1). */
export class NotReported extends Error {
  /** The name of the class. */
  override readonly name = 'NotReported';
}

/** A running tool's question was not answered: declined, timed out, or the call ended. */
export class NoAnswer extends Error {
  /** The name of the class. */
  override readonly name = 'NoAnswer';
  /** Whether a person declined or time ran out. */
  readonly how: 'declined' | 'expired';

  constructor(how: 'declined' | 'expired', reason: string) {
    super(`nobody answered: ${reason}`);
    this.how = how;
  }
}
