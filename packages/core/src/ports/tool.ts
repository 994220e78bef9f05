import type { CallSandbox, Preview, Question, Subject, ToolDefinition } from '@countersign/protocol';
import type { WorldHandle } from './world-handle.js';

/** What a running tool knows about its call (T15). */
export interface ToolContext {
  worldId: string;
  agentId: string;
  chatId: string;
  invocationId: string;
  /** The real path of the world's working folder. */
  workingDirectory: string;
  /** The folders and hosts that rules allow inside the sandbox. If absent, none. */
  sandboxGrants?: {
    folders: readonly string[];
    mayReach?: (host: string) => boolean;
    /** Private addresses, or `localhost`, that a rule names with a port. */
    privateHosts?: readonly string[];
  };
  /**
   * Whether a deny rule, or an ask rule that wasn't approved, applies to this absolute path. A tool that walks a folder skips such
   * paths (A19). If absent, nothing is withheld.
   */
  withheld?: (path: string) => boolean;
  /** Paths that must be hidden from programs that the call starts, because their arguments don't show what they open. */
  protectedPaths?: ProtectedPaths | undefined;
  /**
   * Set if nobody approved the call (`auto`): whether an allow rule for `write_file` names this absolute path. New dot-files, files in dot-folders
   * and executables are kept only if it returns true (A36). If absent, all are kept.
   */
  mayCreate?: (path: string) => boolean;
  /** The result of `fingerprint` when the call was signed. If it differs now, the tool must not act. */
  fingerprint?: string;
  /** Aborts on stop, timeout or shutdown. Everything that the tool started must end with it. */
  signal: AbortSignal;
  /** Shows output to people while the tool runs (T13). The model doesn't get it. */
  output: (text: string, stream?: 'stdout' | 'stderr') => void;
  /**
   * Asks people a question while the tool runs, in the approval queue, and resolves to the answer. Rejects with `NoAnswer` if nobody answers
   * or the call is stopped. The question ends with the call. Absent if nobody can be asked.
   */
  ask?: (question: Question) => Promise<string>;
  /** Absent if the call has no world, as in a unit test of the tool. */
  world?: WorldHandle;
}

/**
 * Paths that rules protect from a program. It could reach a denied path through a symlink, a script or a file search, so the code that starts
 * the program finds these paths and hides them.
 */
export interface ProtectedPaths {
  /** Expects an absolute path. */
  readonly isProtected: (path: string) => boolean;
  /**
   * Whether a folder may contain protected paths. `fixed`: only at names that a rule spells out. `outside` the folders of the call, only rules
   * with an anchored path count, because searching a whole disk isn't feasible.
   */
  readonly mayHold: (folder: string, where: 'inside' | 'outside') => 'nothing' | 'fixed' | 'anything';
}

/** Where a call would act, for functions that inspect the target before approval. */
export interface ToolPlace {
  workingDirectory: string;
}

/** What rules allow inside the sandbox, as shown to people. */
export interface OpenedToSandbox {
  readonly folders: readonly string[];
  readonly hosts: readonly string[];
  /** Every public host, regardless of `hosts`. */
  readonly anyHost: boolean;
  /** Private addresses, or `localhost`, that a rule names with a port. */
  readonly privateHosts: readonly string[];
}

/**
 * A tool as the runtime sees it. It never asks for approval itself: the gate decides before `execute` is called. The model gets the return
 * value, or the error if it throws, and the loop continues (T11).
 */
export interface Tool {
  readonly definition: ToolDefinition;
  /** False for tools of MCP servers and clients until a person marks them trusted (A1). */
  readonly trusted: boolean;
  /**
   * The digest of the current definition, for a tool whose server may change it. While it differs from the accepted one, grants, allow rules and
   * trust don't apply.
   */
  readonly pin?: string;
  /**
   * How a call runs, for the card and the signature. Must claim only what it guarantees. `opened` is what rules allow inside the sandbox.
   * If absent, the tool runs in this process with unknown reach.
   */
  sandbox?(opened: OpenedToSandbox): CallSandbox;
  /** The tool runs programs without a sandbox that could enforce path rules (A21), so each call needs approval if there is such a rule. */
  readonly unconfined?: boolean;
  /** Validates arguments. `execute` gets the returned value. */
  validate(args: Record<string, unknown>): { ok: true; value: unknown } | { ok: false; error: string };
  /**
   * Pure: what a call touches, so that rules match its meaning. If absent, its arguments as `name=value` words. `place` makes relative paths
   * absolute, because no allow rule covers a relative path.
   */
  subjects?(args: unknown, place: ToolPlace): readonly Subject[];
  /**
   * Inspects the target without side effects and reports subjects that the arguments don't show, such as a hard link. They are judged with
   * the other subjects when approval is requested and again when the call starts.
   */
  look?(args: unknown, place: ToolPlace): Promise<readonly Subject[]>;
  /**
   * Pure: whether the call touches nothing outside the working folder, because of a sandbox without network or because it names only paths in the
   * folder (A20). If absent, false. Counts only for a trusted tool.
   */
  contained?(args: unknown, place: ToolPlace): boolean;
  /** What the signature covers besides the arguments, such as the old content of a file that would be overwritten (A7). */
  fingerprint?(args: unknown, place: ToolPlace): Promise<string>;
  /** What the call would change, such as a diff, for the approval card. A plain string counts as complete. No side effects. */
  preview?(args: unknown, place: ToolPlace): Promise<string | Preview>;
  /**
   * For a tool that is only a question to people: it is queued like an approval, survives restarts, and the answer is its result, so `execute`
   * is never called. Counts only for a trusted tool.
   */
  question?(args: unknown): Question;
  execute(args: unknown, context: ToolContext): Promise<unknown>;
}

/** A tool that ran and failed with a result, such as a non-zero exit code with output (T15). */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  readonly result: unknown;
  /** The outcome is unknown, so the same call needs approval next time, regardless of rules (S3). */
  readonly outcomeUnknown: boolean;

  constructor(message: string, result?: unknown, { outcomeUnknown = false }: { outcomeUnknown?: boolean } = {}) {
    super(message);
    this.result = result;
    this.outcomeUnknown = outcomeUnknown;
  }
}

/** A running tool's question was not answered: declined, timed out, or the call ended. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly how: 'declined' | 'expired';

  constructor(how: 'declined' | 'expired', reason: string) {
    super(`nobody answered: ${reason}`);
    this.how = how;
  }
}
