import { createHash } from 'node:crypto';
import {
  systemClock,
  type Drafted,
  type DraftContext,
  type RehearsalContext,
  type Rehearsal,
  type ToolContext,
} from '@countersign/core/ports';
import type { NoEffectReason } from '@countersign/protocol';
import {
  ChangeConflict,
  type DescribedChange,
  type KeptChanges,
  type KeptResult,
  type LayerRules,
  type PlannedChange,
  type Rehearsed,
  applyPlan,
  describeChange,
  describeLeftOut,
  lockFolder,
} from '@countersign/changes';
import { FolderTooLarge } from '../sandbox/draft/copies/folder-too-large.js';
import { DRAFT_LIMITS, DraftTooLarge, REHEARSAL_LIMITS } from '../sandbox/draft/draft-limits.js';
import { findHidden } from '../sandbox/find-hidden.js';
import { refuseHosts } from '../sandbox/gateway/refuse-hosts.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { confinementFor, runConfined, type CommandContext } from './run-confined.js';
import type { ShellOptions } from './shell-options.js';
import type { UsageLimits } from './watch-usage.js';

type BubblewrapOptions = ShellOptions & { sandbox: Extract<Sandbox, { kind: 'bubblewrap' }> };

/**
 * Rehearses a command (CHANGE8). Idempotent per call: returns what is kept if it is still true, and otherwise rehearses again. Without `kept` there is
 * no draft, and only a draft guarantees that a rehearsal changes nothing.
 */
export async function rehearseCommand(
  text: string,
  options: ShellOptions,
  context: RehearsalContext,
  kept: KeptChanges | undefined,
): Promise<Rehearsal> {
  const { sandbox } = options;
  if (kept === undefined || sandbox.kind !== 'bubblewrap') return without('no-sandbox');
  // Two screens may look at the same call.
  return await lockFolder(`rehearsal of ${context.invocationId}`, undefined, () =>
    rehearse(text, { ...options, sandbox }, context, kept),
  );
}

const MAX_TRIES = 3;

const USAGE_LIMITS: UsageLimits = { memoryBytes: 2 * 1024 ** 3, processes: 512, cpuMs: 30_000 };

async function rehearse(
  text: string,
  options: BubblewrapOptions,
  context: RehearsalContext,
  kept: KeptChanges,
): Promise<Rehearsal> {
  if (mayUseNetwork(options, {})) return without('network');
  const callId = context.invocationId;
  const key = await keyOf(text, options, context).catch(() => undefined);
  if (key === undefined) return without('failed');
  const found = await kept.find(callId);
  if (found?.key === key) {
    if (found.kind === 'none') return without(found.reason);
    if (await kept.isCurrent(callId, found, rulesOf(context))) return toRehearsal(found);
  }
  for (let tries = 1; ; tries += 1) {
    const done = await rehearseOnce(text, options, context, async (rehearsed) => {
      const agent = `${context.worldId}/${context.agentId}`;
      // A run would reach the host, and what the command does then is unknown.
      if (rehearsed.triedHosts.some((host) => mayReachHost(context, host))) return 'network';
      const made = await kept.keep(callId, { key, agent, ...rehearsed });
      return made === undefined ? 'too-large' : toRehearsal(made);
    });
    if (typeof done !== 'string') return done;
    if (done === 'conflict' && tries < MAX_TRIES) continue;
    await kept.keepReason(callId, key, done);
    return without(done);
  }
}

/** Runs a command in a copy of the folder, after other calls, and applies it to the copy (CHANGE11). */
export async function draftCommand(text: string, options: ShellOptions, context: DraftContext): Promise<Drafted> {
  if (options.sandbox.kind !== 'bubblewrap') return { noEffect: { reason: 'no-sandbox' } };
  if (mayUseNetwork(options, {})) return { noEffect: { reason: 'network' } };
  const done = await rehearseOnce(text, options, context, async ({ draft, signal, ...rehearsed }): Promise<Drafted> => {
    const { result, triedHosts } = rehearsed;
    if (triedHosts.some((host) => mayReachHost(context, host))) return { noEffect: { reason: 'network' } };
    if (result.exitCode !== 0) return { failed: failureText(result) };
    const { effect, paths } = await describeChange(draft, rehearsed, { signal });
    await applyPlan(draft);
    return { effect, ...(paths === undefined ? {} : { paths }), result };
  });
  return typeof done === 'string' ? { noEffect: { reason: done } } : done;
}

const MOST_SAID = 500;

function failureText({ exitCode, stdout, stderr }: KeptResult): string {
  const said = (stderr.trim() === '' ? stdout : stderr).trim().slice(-MOST_SAID);
  return `it exited with code ${exitCode}${said === '' ? '' : `: ${said}`}`;
}

/** What a command sends can't be taken back, so it must not be rehearsed. */
export function mayUseNetwork(
  { network }: ShellOptions,
  { sandboxGrants }: Pick<CommandContext, 'sandboxGrants'>,
): boolean {
  const { mayReach, privateHosts = [] } = sandboxGrants ?? {};
  return network === 'public' || mayReach !== undefined || privateHosts.length > 0;
}

function mayReachHost({ sandboxGrants }: Pick<CommandContext, 'sandboxGrants'>, host: string): boolean {
  const { mayReach, privateHosts = [] } = sandboxGrants ?? {};
  const names = host === '127.0.0.1' ? [host, 'localhost'] : [host];
  return mayReach?.(host) === true || privateHosts.some((one) => names.some((name) => one.startsWith(`${name}:`)));
}

/** A command that has ended, with its draft. */
export interface RehearsedDraft extends Required<Omit<Rehearsed, 'run'>> {
  readonly draft: PlannedChange;
  /** The number of paths that rules hid from the command. */
  readonly hidden: number;
  /** Aborts if reading what the command wrote takes too long. */
  readonly signal: AbortSignal;
}

/** Runs the command in a draft and calls `act` while the folder is locked. The draft is removed afterwards unless `act` has moved it. */
export async function rehearseOnce<T>(
  text: string,
  options: ShellOptions,
  context: Omit<CommandContext, 'output'>,
  act: (rehearsed: RehearsedDraft) => Promise<T | NoEffectReason>,
): Promise<T | NoEffectReason> {
  const { timeoutMs = 120_000, rehearsalTimeoutMs = 10_000, draftLimits = DRAFT_LIMITS } = options;
  const bytes = Math.min(draftLimits.bytes, REHEARSAL_LIMITS.bytes);
  const files = Math.min(draftLimits.files, REHEARSAL_LIMITS.files);
  const usageLimits = options.rehearsalUsage ?? USAGE_LIMITS;
  const limitMs = Math.min(timeoutMs, rehearsalTimeoutMs);
  const { clock = systemClock } = options;
  const preparing = new AbortController();
  const reading = new AbortController();
  const stop = (): void => [preparing, reading].forEach((one) => one.abort());
  context.signal.addEventListener('abort', stop);
  const cancelPreparing = clock.after(limitMs, () => preparing.abort());
  let cancel = (): void => undefined;
  const prepareSignal = preparing.signal;
  const limits = { options, timeoutMs: limitMs, draftLimits: { bytes, files }, usageLimits, prepareSignal };
  const refused = refuseHosts();
  // The gateway is that of a run, so that programs use it in the same way, but it reaches nothing.
  const grants = { folders: [], ...context.sandboxGrants, mayReach: () => true };
  const offline = { ...context, sandboxGrants: grants, output: () => undefined };
  const withGateway = { ...limits, options: { ...options, outside: refused.outside } };
  try {
    return await runConfined(text, withGateway, offline, async (run) => {
      const { ended, isTooLarge, confined, notes } = run;
      context.signal.throwIfAborted();
      if (isTooLarge) return 'too-large';
      if (ended.why !== 'exited') return 'too-long';
      if (confined?.plan === undefined) return 'no-sandbox';
      return await confined.plan(async (draft, leftOut) => {
        cancel = clock.after(limitMs, stop);
        const left = describeLeftOut(leftOut);
        const all = left === undefined ? notes : [...notes, left];
        const result = { ...ended.result, ...(all.length === 0 ? {} : { note: all.join('\n') }) };
        const hidden = confined.hiddenByRules.length;
        return await act({ draft, leftOut, result, triedHosts: refused.tried(), hidden, signal: reading.signal });
      });
    });
  } catch (error) {
    context.signal.throwIfAborted();
    if (reading.signal.aborted || error === prepareSignal.reason) return 'too-long';
    if (error instanceof ChangeConflict) return 'conflict';
    if (error instanceof FolderTooLarge) return 'folder-too-large';
    return error instanceof DraftTooLarge ? 'too-large' : 'failed';
  } finally {
    cancelPreparing();
    cancel();
    context.signal.removeEventListener('abort', stop);
  }
}

/** The rules that apply to what a command wrote. */
export function rulesOf({ protectedPaths, mayCreate }: Pick<ToolContext, 'protectedPaths' | 'mayCreate'>): LayerRules {
  return { isProtected: (path) => protectedPaths?.isProtected(path) === true, mayCreate };
}

/** Stands for the command and everything that it may see, apart from the content of files. */
async function keyOf(text: string, options: BubblewrapOptions, context: RehearsalContext): Promise<string> {
  const confinement = await confinementFor(options, context);
  const { hiddenByRules } = await findHidden(confinement, [options.sandbox.drafting.folder]);
  const facts = [text, confinement.workingDirectory, confinement.show, [...hiddenByRules].sort()];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

function toRehearsal({ effect, paths }: Pick<DescribedChange, 'effect' | 'paths'>): Rehearsal {
  return { fingerprint: effect.effectHash, effect, ...(paths === undefined ? {} : { paths }) };
}

function without(reason: NoEffectReason): Rehearsal {
  return { fingerprint: undefined, noEffect: { reason } };
}
