import type { CallSandbox, Preview, Question, Subject, ToolDefinition } from '@countersign/protocol';
import type { WorldHandle } from './world-handle.js';

/** What a running tool knows of its call (T15). */
export interface ToolContext {
  worldId: string;
  agentId: string;
  chatId: string;
  invocationId: string;
  /** The real path of the world's working folder. */
  workingDirectory: string;
  /** What rules let commands in the sandbox read, and which hosts they may reach. Absent: nothing, none. */
  sandboxGrants?: {
    folders: readonly string[];
    mayReach?: (host: string) => boolean;
    /** Private addresses, or `localhost`, each with a port, that a rule spells. */
    privateHosts?: readonly string[];
  };
  /**
   * Whether a rule denies this call, or has yet to be asked about, what lies at this absolute path. A tool that walks below
   * the path it was given leaves those out (A19). Absent: nothing is withheld.
   */
  withheld?: (path: string) => boolean;
  /**
   * What rules keep from programs that the call starts, whose words don't tell what they open: to be hidden from them. Absent: nothing.
   */
  protectedPaths?: ProtectedPaths | undefined;
  /**
   * Set where nobody approved the call (`auto`): whether an allow rule for `write_file` names this absolute path. Of what programs leave
   * behind, new dot-files, new files in dot-folders and new executables stay only where it does (A36). Absent: all may stay.
   */
  mayCreate?: (path: string) => boolean;
  /** What `fingerprint` said when the call was signed: a tool that finds something else now must not act. */
  fingerprint?: string;
  /** Fires on stop, timeout or shutdown: whatever the tool started must end with it. */
  signal: AbortSignal;
  /** Shows output to people while the tool runs (T13). It is not what the model gets. */
  output: (text: string, stream?: 'stdout' | 'stderr') => void;
  /**
   * Puts a question to people while the tool runs, in the same queue as approvals, and gives their words. Rejects with `NoAnswer`
   * when nobody will answer, and when the call is stopped. It lives no longer than the call: whoever asks it anew after a restart is
   * another call. Absent where nobody can be asked.
   */
  ask?: (question: Question) => Promise<string>;
  /** Absent where there is no world around the call, as in a test of the tool alone. */
  world?: WorldHandle;
}

/**
 * What rules keep from a program whose words don't tell what it opens: by a link, a script or a search of all files it would come
 * to what a rule denies. Whoever starts it looks for these paths and hides them.
 */
export interface ProtectedPaths {
  /** Of an absolute path. */
  readonly isProtected: (path: string) => boolean;
  /**
   * Whether something below a folder may be kept. `fixed`: only under names that a rule spells. Far from the folders that the call
   * is about, `outside`, only rules count that say where their path begins: nobody can search a whole disk.
   */
  readonly mayHold: (folder: string, where: 'inside' | 'outside') => 'nothing' | 'fixed' | 'anything';
}

/** Where a call would act; given to what must look before the person is asked. */
export interface ToolPlace {
  workingDirectory: string;
}

/** What rules open to commands in the sandbox, as people are shown it. */
export interface OpenedToSandbox {
  readonly folders: readonly string[];
  readonly hosts: readonly string[];
  /** Every public host, regardless of `hosts`. */
  readonly anyHost: boolean;
  /** Private addresses, or `localhost`, each with a port, that a rule spells. */
  readonly privateHosts: readonly string[];
}

/**
 * A tool as the runtime sees it. It never asks for approval itself: the gate has decided before `execute` is called.
 * What `execute` returns goes to the model; what it throws is given to the model as the error, and the loop goes on (T11).
 */
export interface Tool {
  readonly definition: ToolDefinition;
  /** False for what comes from outside (MCP servers, clients) until a person marked it trusted (A1). */
  readonly trusted: boolean;
  /**
   * Of a tool whose server may change what it says of itself: the digest of what it says now. While that is not what a person
   * accepted, no grant, allow rule or trust counts for it.
   */
  readonly pin?: string;
  /**
   * How a call runs, for the card and the signature: what is true of this tool, and nothing it can't keep. `opened` is what rules
   * open to commands in the sandbox. Absent: in this process, and nobody knows what it reaches.
   */
  sandbox?(opened: OpenedToSandbox): CallSandbox;
  /** True: it runs programs, and no sandbox keeps them from what rules about paths deny (A21). Then each call is asked. */
  readonly unconfined?: boolean;
  /** Checks arguments against the schema. The value is what `execute` gets. */
  validate(args: Record<string, unknown>): { ok: true; value: unknown } | { ok: false; error: string };
  /**
   * Pure: what a call touches, so that rules match on meaning. Absent: its arguments as `name=value` words. `place` makes a
   * relative path absolute: no allow rule covers a path of which nobody knows where it begins.
   */
  subjects?(args: unknown, place: ToolPlace): readonly Subject[];
  /**
   * Looks, and touches nothing: what only shows where the call would act, such as a file with a second name. Judged with the
   * subjects, when the call is asked and again when it starts.
   */
  look?(args: unknown, place: ToolPlace): Promise<readonly Subject[]>;
  /**
   * Pure: whether the call can touch nothing outside the working folder, because it runs in a sandbox without network or names
   * only what lies in the folder (A20). Absent: it can. Counts only for a trusted tool.
   */
  contained?(args: unknown, place: ToolPlace): boolean;
  /** What the signature covers beyond the arguments, such as the old content of a file that would be overwritten (A7). */
  fingerprint?(args: unknown, place: ToolPlace): Promise<string>;
  /** What the call would change, such as a diff, for the person who is asked. A plain text counts as all of it. Changes nothing. */
  preview?(args: unknown, place: ToolPlace): Promise<string | Preview>;
  /**
   * The call is nothing but this question to people: it is put where calls are asked, waits as long as they do, also over restarts,
   * and their words are its result. Then `execute` is never called. Counts only for a trusted tool.
   */
  question?(args: unknown): Question;
  execute(args: unknown, context: ToolContext): Promise<unknown>;
}

/** A tool that ran and failed with something to show, such as a non-zero exit code with its output (T15). */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  readonly result: unknown;
  /** Nobody knows what it did: the same call is asked next time, whatever rules say (S3). */
  readonly outcomeUnknown: boolean;

  constructor(message: string, result?: unknown, { outcomeUnknown = false }: { outcomeUnknown?: boolean } = {}) {
    super(message);
    this.result = result;
    this.outcomeUnknown = outcomeUnknown;
  }
}

/** Nobody answered a question of a running tool: declined, timed out, or the call ended. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly how: 'declined' | 'expired';

  constructor(how: 'declined' | 'expired', reason: string) {
    super(`nobody answered: ${reason}`);
    this.how = how;
  }
}
