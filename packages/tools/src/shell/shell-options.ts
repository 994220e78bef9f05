import type { Clock } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import type { DraftLimits } from '../sandbox/draft/draft-limits.js';
import type { RehearsalBudget, UndoLimits } from '@countersign/changes';
import type { Outside } from '../sandbox/gateway/gateway.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { UsageLimits } from './watch-usage.js';

/** Options for `shellCmd`. */
export interface ShellOptions {
  /** From `findSandbox()`. `none` runs commands with all our permissions; every approval card says so (SAFE1). */
  sandbox: Sandbox;
  /** Our home folder, store and policy. No command can see them, and a working folder that contains or is inside one of them is rejected. */
  hide?: readonly string[];
  /** Folders in the user's home folder that commands may read, such as a Node.js installation. */
  show?: readonly string[];
  /** Working folders of all worlds. Agents write to them, so programs in them are never made available to a sandbox. */
  writable?: () => Promise<readonly string[]>;
  /** `public`: public addresses through our proxy, for programs that support one (RULE2). Default: `none`. */
  network?: 'none' | 'public';
  /** Replaces the public network in tests. */
  outside?: Outside;
  /** Default: 120,000. */
  timeoutMs?: number;
  /** How long a command is rehearsed before people are asked without an effect. Default: 10,000. */
  rehearsalTimeoutMs?: number;
  /** The disk space that rehearsed commands may take while they wait for approval. Default: 2 GiB in 100 rehearsals. */
  rehearsalBudget?: RehearsalBudget;
  /** What the processes of a rehearsed command may use together. Default: 2 GiB of memory, 512 processes and 30 seconds of CPU time. */
  rehearsalUsage?: UsageLimits;
  /** How long, and up to which total size, calls can be undone. Default: 7 days, 1 GiB in 200 calls. */
  undoLimits?: UndoLimits;
  /** The limit per command in the sandbox, unless we run as root, which the kernel never limits. Default: 4,096. */
  maxProcesses?: number;
  /** How much a sandboxed command may write to the working folder. Default: 2 GiB in 200,000 files. */
  draftLimits?: DraftLimits;
  /** The clock. Default: the system clock. */
  clock?: Clock;
}

const KINDS: Record<Sandbox['kind'], true> = { bubblewrap: true, 'sandbox-exec': true, none: true };

/** For JavaScript callers: says what is missing, instead of failing on the first member of `undefined`. */
export function checkShellOptions(options: unknown, what: string): asserts options is ShellOptions {
  const sandbox: unknown =
    typeof options === 'object' && options !== null && 'sandbox' in options ? options.sandbox : undefined;
  const kind: unknown = typeof sandbox === 'object' && sandbox !== null && 'kind' in sandbox ? sandbox.kind : undefined;
  if (typeof kind === 'string' && Object.hasOwn(KINDS, kind)) return;
  const problem =
    sandbox === undefined ? 'is missing' : sandbox instanceof Promise ? 'is a promise' : 'is not a sandbox';
  const advice = 'Pass the result of findSandbox(), as in shellCmd({ sandbox: await findSandbox() })';
  throw new CountersignError('invalid', `${what}: sandbox ${problem}. ${advice}`, { field: 'sandbox' });
}
