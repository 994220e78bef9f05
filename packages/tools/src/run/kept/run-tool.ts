import {
  defineTool,
  errorMessage,
  ToolFailure,
  type Hold,
  type RehearsalContext,
  type TypedTool,
} from '@countersign/core/ports';
import {
  ChangeConflict,
  programsOf,
  RunRefused,
  type KeptRun,
  type KeptRuns,
  type KeptUndos,
} from '@countersign/changes';
import { inProcess, RUN_TOOL, type Subject } from '@countersign/protocol';
import { z } from 'zod';
import { writeBackLogin } from '../home/write-back-login.js';
import { rulesOf } from '../../shell/rehearse-command.js';

const parameters = z.strictObject({
  run: z.string().min(1).max(120).describe('Id of the run.'),
  program: z.array(z.string()).min(1).describe('The program that ran, with its arguments.'),
  later: z
    .array(z.array(z.string()).min(1))
    .optional()
    .describe('The programs that ran in the draft after that, because somebody asked for changes.'),
});

const APPROVAL = { required: true, scope: 'once', message: 'Apply what {program} changed' } as const;
const MAX_NAMED = 5;

/**
 * Applies what a run changed. Its rehearsal is the run itself: the effect was sealed before the server proposed the call, for that call alone, and
 * `execute` applies exactly it. Nobody else can propose such a call (RUN15).
 */
export function runTool(
  runs: KeptRuns,
  undos: KeptUndos,
  /** Called when a run was applied, while its folder is locked. If it fails, the run stays applied. */
  onApplied: (id: string, hold?: Hold) => Promise<void> = () => Promise.resolve(),
): TypedTool<typeof RUN_TOOL, z.input<typeof parameters>> {
  /** The run, if it belongs to this world, agent and folder, and ran this program. */
  const find = async (
    { run: id, program, later = [] }: z.output<typeof parameters>,
    { worldId, agentId, workingDirectory }: Pick<RehearsalContext, 'worldId' | 'agentId' | 'workingDirectory'>,
  ): Promise<KeptRun> => {
    const run = await runs.read(id);
    const record = run?.record;
    const isIts =
      record?.worldId === worldId &&
      record.agentId === agentId &&
      JSON.stringify(programsOf(record)) === JSON.stringify([program, ...later]);
    if (run === undefined || !isIts) throw new RunRefused('there is no such run');
    if (record.folder !== workingDirectory)
      throw new RunRefused(`the world has another folder now, but the run worked in ${record.folder}`);
    return run;
  };
  /** By call. After a restart, only the folders of runs say which one a call may apply. */
  const known = new Map<string, string>();
  const runOf = async (callId: string): Promise<string | undefined> => {
    if (known.has(callId)) return known.get(callId);
    for (const id of await runs.list()) {
      const call = (await runs.read(id))?.status?.callId;
      if (call !== undefined) known.set(call, id);
    }
    return known.get(callId);
  };
  const tool = defineTool({
    name: RUN_TOOL,
    description: 'Applies what a program changed in a draft of the working folder.',
    parameters,
    approval: APPROVAL,
    sandbox: () => inProcess('none'),
    subjects: ({ program, later = [] }) => [program, ...later].map((words) => ({ kind: 'words', words })),
    inspect: async ({ run, later = [] }) => {
      const kept = await runs.read(run);
      const always = [...(later.length === 0 ? [] : [SENT_BACK]), ...(kept?.record.part === undefined ? [] : [PART])];
      const paths = (await runs.needsPerson(run)) ?? [];
      const login = kept?.ended?.login;
      // A person signs for a login (RUN14.1), also if it isn't written back: the one outside may have ended.
      const all = login === undefined ? paths : [...paths, login.file];
      return all.length === 0 ? always : [...always, needsPerson(all)];
    },
    rehearsals: {
      async rehearse(args, context) {
        await find(args, context);
        const sealed = await runs.sealed(args.run, context.invocationId);
        if (sealed === undefined) throw new RunRefused('this call may not apply this run');
        known.set(context.invocationId, args.run);
        return { fingerprint: sealed.effect.effectHash, ...sealed };
      },
      async show(callId, effectHash, signal) {
        const id = await runOf(callId);
        return id === undefined ? undefined : await runs.show(id, callId, effectHash, signal);
      },
      // The draft outlives the call: what is denied can be applied later.
      drop: () => Promise.resolve(),
      list: () => Promise.resolve([]),
    },
    undos,
    hold: ({ run }, { invocationId, fingerprint }) => runs.hold(run, invocationId, fingerprint),
    async execute(args, context) {
      const { fingerprint, invocationId, signal, hold } = context;
      signal.throwIfAborted();
      if (fingerprint === undefined) throw new ToolFailure('nothing was applied: there is no sealed change');
      const { ended } = await find(args, context);
      try {
        const signed = { effectHash: fingerprint, rules: rulesOf(context), hold };
        const { result, run } = await runs.apply(args.run, invocationId, signed);
        const { account, included, hash } = run?.login ?? {};
        const isWritten = account === 'same' || included === true;
        const login =
          ended?.login !== undefined && hash !== undefined && isWritten
            ? { loginWritten: await writeBackLogin(ended.login, hash) }
            : {};
        await onApplied(args.run, hold).catch(() => undefined);
        return { applied: true, exitCode: result.exitCode, ...login };
      } catch (error) {
        if (error instanceof ChangeConflict) throw new ToolFailure(error.message, undefined, { conflict: true });
        if (error instanceof RunRefused) throw new ToolFailure(error.message);
        throw new ToolFailure(`the changes of the run could not be applied: ${errorMessage(error)}`);
      }
    },
  });
  return { ...tool, byServer: true };
}

/** Somebody wanted something else than what the program did at first, so no rule decides about the rest. */
const SENT_BACK: Subject = { kind: 'dynamic', always: true, told: true, why: { code: 'run-sent-back' } };

/** No program has run with exactly this. */
const PART: Subject = { kind: 'dynamic', always: true, told: true, why: { code: 'run-part' } };

function needsPerson(paths: readonly string[]): Subject {
  const named = paths.slice(0, MAX_NAMED).map((path) => (path.length <= 100 ? path : `${path.slice(0, 100)}…`));
  const more = paths.length - named.length;
  const text = `${named.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
  return { kind: 'dynamic', always: true, told: true, why: { code: 'run-needs-person', paths: text } };
}
