import {
  defineTool,
  ToolFailure,
  errorMessage,
  type Batches,
  type StandIn,
  type ToolContext,
  type TypedTool,
} from '@countersign/core/ports';
import { refuseUnknownKeys, type Subject } from '@countersign/protocol';
import { z } from 'zod';
import {
  type ApplyChange,
  ChangeConflict,
  type KeptResult,
  type KeptChanges,
  type KeptUndos,
  keptChanges,
  NoRehearsal,
  keptUndos,
  lockFolder,
} from '@countersign/changes';
import type { Confined } from '../sandbox/confine.js';
import { batchDrafts } from '../sandbox/draft/batch-draft.js';
import { DRAFT_LIMITS, DraftTooLarge } from '../sandbox/draft/draft-limits.js';
import { MAX_HOSTS } from '../sandbox/gateway/refuse-hosts.js';
import { sandboxFacts } from '../sandbox/sandbox.js';
import { isTooLong, joinCommand, TOO_LONG, whyNoParameters } from './join-command.js';
import { predictEffect } from './predict-effect.js';
import { draftCommand, mayUseNetwork, rehearseCommand, rulesOf } from './rehearse-command.js';
import type { CommandEnd } from './run-command.js';
import { runConfined } from './run-confined.js';
import { checkShellOptions, type ShellOptions } from './shell-options.js';
import { subjectsOfCommand } from './subjects-of-command.js';

const text = z.string().refine((value) => !value.includes('\0'), 'must not contain a NUL character');

/** Rules name private addresses, with their ports. */
const HOST = /^(?=.{1,253}$)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/i;

const parameters = z
  .strictObject({
    command: text
      .refine((value) => value.trim() !== '', 'must not be empty')
      .describe('Bash command to run in the working folder, without a terminal or standard input.'),
    parameters: z
      .array(text)
      .exactOptional()
      .describe('Additional arguments, passed to the command literally; nothing in them is expanded.'),
    hosts: z
      .array(z.string().regex(HOST, 'must be the name of a host, such as example.com'))
      .min(1)
      .max(MAX_HOSTS)
      .exactOptional()
      .describe(
        'Public hosts that the command needs, such as registry.npmjs.org. By default, it has no network. Each call with hosts needs approval.',
      ),
  })
  .superRefine(({ command, parameters: words = [] }, context) => {
    const why = words.length === 0 ? undefined : whyNoParameters(command);
    if (why !== undefined) context.addIssue({ code: 'custom', path: ['parameters'], message: why });
    if (isTooLong(joinCommand(command, words)))
      context.addIssue({ code: 'custom', path: ['command'], message: TOO_LONG });
  });

const KNOWN: Record<keyof ShellOptions, true> = {
  sandbox: true,
  hide: true,
  show: true,
  writable: true,
  network: true,
  outside: true,
  timeoutMs: true,
  rehearsalTimeoutMs: true,
  rehearsalBudget: true,
  rehearsalUsage: true,
  undoLimits: true,
  maxProcesses: true,
  draftLimits: true,
  clock: true,
};

/** Runs a bash script in the working folder, sandboxed if possible (TURN15, RULE2). */
export function shellCmd(options: ShellOptions): TypedTool<'shell_cmd', z.input<typeof parameters>> {
  checkShellOptions(options, 'shellCmd');
  refuseUnknownKeys(options, KNOWN, 'shellCmd');
  const { timeoutMs = 120_000, draftLimits = DRAFT_LIMITS } = options;
  const { kept, undos, batches } = keptFor(options);
  /** Undefined if nothing could be undone; drafts are then applied without keeping anything. */
  const applyTo = (callId: string): ApplyChange | undefined =>
    undos === undefined ? undefined : (draft, now) => undos.apply(callId, draft, now);
  return defineTool({
    name: 'shell_cmd',
    description:
      'Runs a bash command in the working folder and returns its exit code, stdout and stderr. Every call starts a new shell. Its processes are killed when the call ends, and its changes appear in the folder after that. If someone else changes the same files in the meantime, the call fails and none of its changes are applied.',
    parameters,
    approval: { required: true, message: 'Run: {command}' },
    unconfined: options.sandbox.kind === 'none',
    sandbox: (opened, args) =>
      sandboxFacts(options.sandbox, {
        network: options.network ?? 'none',
        opened: { ...opened, hosts: [...new Set([...opened.hosts, ...(args?.hosts ?? [])])] },
      }),
    subjects: ({ command, parameters: words, hosts }) => {
      const subjects = subjectsOfCommand(command, words);
      const own = options.sandbox.kind === 'none' ? subjects.map(onlyExactly) : subjects;
      return hosts === undefined ? own : [...own, opensHosts(hosts)];
    },
    standsFor: ({ hosts }) => (hosts === undefined ? undefined : networkCall(hosts)),
    contained: ({ hosts }) => options.sandbox.kind !== 'none' && options.network !== 'public' && hosts === undefined,
    rehearsals: {
      rehearse: ({ command, parameters: words, hosts }, context) =>
        hosts === undefined ? rehearseCommand(joinCommand(command, words), options, context, kept) : NOT_REHEARSED,
      show: async (callId, effectHash, signal) => await kept?.show(callId, effectHash, signal),
      drop: async (callId) => await kept?.drop(callId),
      list: async () => (await kept?.list()) ?? [],
      predict: ({ command, parameters: words }, context) =>
        predictEffect(options, joinCommand(command, words), context),
    },
    draft: ({ command, parameters: words, hosts }, context) =>
      hosts === undefined ? draftCommand(joinCommand(command, words), options, context) : NOT_DRAFTED,
    ...(batches === undefined ? {} : { batches }),
    ...(undos === undefined ? {} : { undos }),
    hold: async (_, { invocationId, fingerprint }) => await kept?.hold(invocationId, fingerprint),
    async execute({ command, parameters: words, hosts = [] }, given) {
      const context = withHosts(given, hosts);
      const apply = applyTo(context.invocationId);
      if (context.fingerprint !== undefined) {
        const { fingerprint, invocationId, signal, hold } = context;
        signal.throwIfAborted();
        return await applyRehearsal(
          async () => await kept?.apply(invocationId, fingerprint, rulesOf(context), { apply, hold }),
        );
      }
      const run = () =>
        runConfined(joinCommand(command, words), { options, timeoutMs }, context, async (run) => {
          const { ended, isTooLarge, confined, notes } = run;
          if (isTooLarge) throw new ToolFailure(errorMessage(new DraftTooLarge(draftLimits)), ended.result);
          // Includes what a stopped command wrote before it ended, such as notes or cleaned-up files.
          return resultOf(ended, joinNotes([...notes, await accept(confined, ended, apply)]), timeoutMs);
        });
      return await (mayRunAgain(options, context) ? runAgain(run, context) : run());
    },
  });
}

/** What a command sends can't be taken back. */
const NOT_DRAFTED = Promise.resolve({ noEffect: { reason: 'network' } } as const);
const NOT_REHEARSED = Promise.resolve({ fingerprint: undefined, noEffect: { reason: 'network' } } as const);

/** No rule or grant was written for these hosts, so each such call needs its own approval. */
function opensHosts(hosts: readonly string[]): Subject {
  return { kind: 'dynamic', always: true, told: true, why: { code: 'opens-hosts', hosts: hosts.join(', ') } };
}

/** Rules that close hosts to the sandbox deny the call, or say who must sign it. */
function networkCall(hosts: readonly string[]): StandIn {
  const subjects = hosts.map((host): Subject => ({ kind: 'host', host }));
  return { tool: 'sandbox_network', arguments: { hosts }, subjects };
}

function withHosts(context: ToolContext, hosts: readonly string[]): ToolContext {
  if (hosts.length === 0) return context;
  const { folders = [], mayReach, ...more } = context.sandboxGrants ?? {};
  const names = hosts.map((host) => host.toLowerCase());
  const mayReachAll = (host: string): boolean => names.includes(host.toLowerCase()) || mayReach?.(host) === true;
  return { ...context, sandboxGrants: { ...more, folders, mayReach: mayReachAll } };
}

/** Nothing of a command without network takes effect before its draft is applied. If a person approved it, they decide about the next try. */
function mayRunAgain(options: ShellOptions, context: ToolContext): boolean {
  return options.sandbox.kind === 'bubblewrap' && context.mayCreate !== undefined && !mayUseNetwork(options, context);
}

const MAX_AGAIN = 3;

/** Runs a command again, in a fresh draft, if others changed the same files while it ran (CHANGE2.2). */
async function runAgain<T>(run: () => Promise<T>, context: ToolContext): Promise<T> {
  for (let again = 0; ; again += 1) {
    try {
      // One at a time: commands that met the same conflict would only meet each other again.
      return await (again === 0 ? run() : lockFolder(`again in ${context.workingDirectory}`, undefined, run));
    } catch (error) {
      const isConflict = error instanceof ToolFailure && error.conflict;
      if (!isConflict || again === MAX_AGAIN || context.signal.aborted) throw error;
    }
    context.again?.();
  }
}

/** Only changes that are made through a draft can wait for a decision, and be undone. */
function keptFor({ sandbox, hide = [], rehearsalBudget, undoLimits }: ShellOptions): {
  kept: KeptChanges | undefined;
  undos: KeptUndos | undefined;
  batches: Batches | undefined;
} {
  if (sandbox.kind !== 'bubblewrap') return { kept: undefined, undos: undefined, batches: undefined };
  const owner = hide.join('\n');
  const undos = keptUndos(sandbox.drafting, owner, undoLimits);
  return {
    kept: keptChanges(sandbox.drafting, owner, rehearsalBudget),
    undos,
    batches: batchDrafts(sandbox.drafting, undos),
  };
}

/** Without a sandbox, even `sed` and `cat` can read our token and store, so a star in a rule matches nothing (RULE8). */
export function onlyExactly(subject: Subject): Subject {
  return subject.kind === 'words' ? { ...subject, exact: true } : subject;
}

/** A yes applies what was shown. The command doesn't run again, so it can't behave differently than when it was rehearsed. */
async function applyRehearsal(apply: () => Promise<KeptResult | undefined>) {
  try {
    const result = await apply();
    if (result === undefined)
      throw new NoRehearsal('nothing was applied: there is no sandbox that could have rehearsed it');
    return resultOf({ why: 'exited', result }, undefined, 0);
  } catch (error) {
    if (error instanceof ChangeConflict) throw new ToolFailure(error.message, undefined, { conflict: true });
    if (error instanceof ToolFailure || error instanceof NoRehearsal) throw error;
    throw new ToolFailure(`the rehearsed changes could not be applied to the working folder: ${errorMessage(error)}`);
  }
}

function joinNotes(notes: readonly (string | undefined)[]): string | undefined {
  const said = notes.filter((note) => note !== undefined);
  return said.length === 0 ? undefined : said.join('\n');
}

async function accept(
  confined: Confined | undefined,
  { result }: CommandEnd,
  apply: ApplyChange | undefined,
): Promise<string | undefined> {
  try {
    return await confined?.accept(apply);
  } catch (error) {
    const why = errorMessage(error);
    if (error instanceof ChangeConflict) throw new ToolFailure(why, result, { conflict: true });
    if (error instanceof DraftTooLarge) throw new ToolFailure(why, result);
    throw new ToolFailure(
      `the command ran, but not all of its changes could be applied to the working folder: ${why}`,
      result,
    );
  }
}

function resultOf({ why, result: said }: CommandEnd, note: string | undefined, timeoutMs: number) {
  const result = note === undefined ? said : { ...said, note };
  switch (why) {
    case 'stopped':
      throw new ToolFailure('stopped; the command and all its processes were killed', result);
    case 'timed-out': {
      const words = `the command took longer than ${timeoutMs / 1000} seconds; it and all its processes were killed`;
      throw new ToolFailure(words, result);
    }
    case 'exited':
      if (result.exitCode !== 0) throw new ToolFailure(`the command exited with code ${result.exitCode}`, result);
      return result;
  }
}
