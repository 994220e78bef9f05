import { z } from 'zod';
import { effectSchema } from '../calls/effect.js';
import { api, field, text } from '../input/field.js';
import { whoSchema } from '../people/who.js';
import { HIDDEN_IN_PROSE } from '../text/hidden.js';
import { RUN_AGENTS } from './run-agents.js';
import { triedHostSchema } from './run-effect.js';

/** The tool whose calls apply what a run changed. Only the server proposes them; rules about runs name it. */
export const RUN_TOOL = 'run';

export const runAgentSchema = z.enum(RUN_AGENTS);

const portSchema = z.number().int().min(1).max(65_535);
const programSchema = z.array(z.string().max(100_000)).min(1).max(10_000);
/** A name or address, with an optional port. */
const hostSchema = z
  .string()
  .max(300)
  .regex(
    /^[^\s/@]+$/,
    'Give a name or an address with an optional port, such as registry.npmjs.org:443, without https://',
  );

const branchSchema = z.string().min(1).max(200);

/** A process, with its start time from `/proc/PID/stat`: a later process may get the same PID. */
export const runProcessSchema = z.strictObject({
  pid: field(z.number().int().min(1), 'Its PID.'),
  started: text('Its start time, field 22 of /proc/PID/stat.'),
});
export type RunProcess = z.infer<typeof runProcessSchema>;

export const startRunSchema = z.strictObject({
  program: field(programSchema.clone(), 'The program and its arguments.'),
  agent: field(runAgentSchema.clone().exactOptional(), 'Which known agent it is.'),
  allowHosts: field(z.array(hostSchema).max(1000).default([]), 'Hosts that the program may reach in this run.'),
  ports: field(z.array(portSchema).max(100).default([]), 'Ports of the program that are opened outside.'),
  branch: field(
    branchSchema.clone().exactOptional(),
    'Apply commits to this branch and leave the working tree as it is.',
  ),
  supervisor: field(runProcessSchema.clone(), 'The process that runs the program. On the same machine as the server.'),
});
export type StartRun = z.input<typeof startRunSchema>;

/** What the supervisor needs. It runs on the same machine as the same user, so the folder is not a secret of the server. */
export const startedRunSchema = z.object({
  id: text('Id of the run.'),
  world: text('Id of the world.'),
  folder: text('Working folder, real and absolute.'),
  root: text('Folder of the run. Contains upper, work, lower, merged, home and run.json.'),
  hidden: field(z.array(z.string()), 'Real paths that deny and ask rules cover. The program must not see them.'),
  hosts: field(z.array(z.string()), 'Hosts that the program may reach, from the request and from rules.'),
  closedHosts: field(
    z.array(z.string()),
    'Hosts that it may not reach, even if `hosts` has them: deny and ask rules name them.',
  ),
  home: text('Folder with the kept home of the agent. May not exist yet.'),
  sandbox: field(z.unknown(), "The server's sandbox, so that the supervisor needn't look for it again."),
});
api.add(startedRunSchema, { id: 'StartedRun' });
export type StartedRun = z.infer<typeof startedRunSchema>;

const NO_PATH = 'must be a path inside the working folder, as the card shows it';
const MOST_ASKED = 16_000;
const UNREADABLE = new RegExp(HIDDEN_IN_PROSE, 'u');

/** Words of a person that reach an agent: what people can't see, they didn't write. */
const wordsSchema = z
  .string()
  .refine((text) => text.trim() !== '', 'must not be empty')
  .refine((text) => !UNREADABLE.test(text), 'must have no control characters and no invisible characters');

/** What a person wants changed before they sign. */
export const askRunSchema = z
  .strictObject({
    message: field(wordsSchema.clone(), 'What the agent should change.'),
    comments: field(
      z
        .array(
          z.strictObject({
            path: field(z.string().max(4096).refine(isPlainPath, NO_PATH), 'File that it is about.'),
            line: field(z.number().int().min(1).exactOptional(), 'Line of the new content.'),
            text: field(wordsSchema.clone(), 'The comment.'),
          }),
        )
        .default([]),
      'Comments on files.',
    ),
  })
  .refine(
    (asked) => JSON.stringify(asked).length <= MOST_ASKED,
    'The message and the comments must not be longer than 16,000 characters together',
  );
export type AskRun = z.output<typeof askRunSchema>;
export type NewRunRequest = z.input<typeof askRunSchema>;

/** What a supervisor says that runs a program in the draft of a run that was sent back. */
export const restartRunSchema = startRunSchema.pick({ program: true, allowHosts: true, supervisor: true });
export type RestartRun = z.input<typeof restartRunSchema>;

/** What else to apply, beside what the last card showed. */
export const applyRunSchema = z.strictObject({
  include: field(
    z.array(z.string().max(4096).refine(isPlainPath, NO_PATH)).max(1000).default([]),
    'Ignored paths to apply all the same. Without them, none is applied.',
  ),
  login: field(
    z.boolean().default(false),
    "Write back a renewed login of another account too, or of one that can't be compared.",
  ),
  branch: field(
    branchSchema.clone().exactOptional(),
    'Apply all commits to this new branch and leave the working tree as it is, which can conflict with nobody.',
  ),
});
export type ApplyRun = z.output<typeof applyRunSchema>;

const MOST_SELECTED = 20_000;
const MOST_BLOCKS = 2000;
const pathSchema = z.string().max(4096).refine(isPlainPath, NO_PATH);

/** A part of the change on a run's card. */
export const selectRunSchema = z
  .strictObject({
    effectHash: field(z.string().regex(/^[0-9a-f]{64}$/), 'The effect hash of the change that the person looked at.'),
    paths: field(
      z.array(pathSchema.clone()).max(MOST_SELECTED).default([]),
      'Files to apply as a whole. A folder stands for everything in it.',
    ),
    hunks: field(
      z
        .array(
          z.strictObject({
            path: field(pathSchema.clone(), 'A changed text file.'),
            hunk: field(z.number().int().min(1).max(MOST_SELECTED), 'Number of a block of lines in its diff, from 1.'),
          }),
        )
        .max(MOST_BLOCKS)
        .default([]),
      'Blocks of lines to apply, of files that are not applied as a whole.',
    ),
  })
  .refine(({ paths, hunks }) => paths.length + hunks.length > 0, 'Select at least one file or block of lines');
export type SelectRun = z.output<typeof selectRunSchema>;
export type NewSelection = z.input<typeof selectRunSchema>;

function isPlainPath(path: string): boolean {
  return !path.includes('\0') && path.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
}

/** Why all processes of a run have ended. `supervisor`: its supervisor died, so how the program ended is unknown. */
const runEndSchema = z.enum(['exited', 'time', 'bytes', 'files', 'memory', 'processes', 'stopped', 'supervisor']);
export type RunEnd = z.infer<typeof runEndSchema>;

/** The content of `ended.json`, which the supervisor writes when every process of the run is dead. */
export const endedRunSchema = z.strictObject({
  exitCode: field(z.number().int().min(-1).max(255), 'Exit code, or 128 plus the signal.'),
  why: field(runEndSchema.clone(), 'Why it ended.'),
  hosts: field(z.array(triedHostSchema.clone()).max(10_000).default([]), 'Hosts that it tried to reach.'),
  variables: field(z.array(z.string().max(200)).max(10_000).default([]), 'Names of its environment variables.'),
  ports: field(
    z
      .array(
        z.strictObject({
          inside: field(portSchema.clone(), 'Port of the program.'),
          url: field(z.string().max(300), 'Where it was open.'),
        }),
      )
      .max(100)
      .default([]),
    'Ports that were open, with their URLs.',
  ),
  notes: field(
    z.array(z.string().max(2_000)).max(100).default([]),
    'What people should know before they sign, such as a flag that allowed more than usual. One sentence each.',
  ),
  login: field(
    z
      .strictObject({
        agent: field(runAgentSchema.clone(), 'The agent.'),
        account: field(z.enum(['same', 'other', 'unknown']), 'Whether it is for the account of the login outside.'),
        file: text('File of the login outside.'),
        before: text('SHA-256 of that file at the start.'),
        renewed: text('File with the renewed login.'),
      })
      .exactOptional(),
    'A login that the agent renewed.',
  ),
});
export type EndedRun = z.infer<typeof endedRunSchema>;

/**
 * `ended`: its changes are being sealed. `unchanged`: there was nothing to apply. `denied` and `conflict`: the draft is kept. `failed`: no change
 * could be made of the draft, which is kept too. `sent-back`: somebody asked for changes, and the program hasn't run again yet.
 */
const runStateSchema = z.enum([
  'running',
  'ended',
  'waiting',
  'applied',
  'undone',
  'denied',
  'sent-back',
  'conflict',
  'unchanged',
  'discarded',
  'failed',
]);
export type RunState = z.infer<typeof runStateSchema>;

/** What somebody asked the program of a run to change. */
export const runRequestSchema = z.object({
  by: whoSchema,
  at: text('When.'),
  message: text('What to change.'),
  comments: field(
    z.array(
      z.object({
        path: text('File that it is about.'),
        line: field(z.number().exactOptional(), 'Line of the new content.'),
        text: text('The comment.'),
      }),
    ),
    'Comments on files.',
  ),
});
export type RunRequest = z.infer<typeof runRequestSchema>;

export const runSchema = z.object({
  id: text('Id of the run.'),
  world: text('Id of the world.'),
  program: field(z.array(z.string()), 'The program and its arguments. Secrets are masked.'),
  agent: field(runAgentSchema.clone().exactOptional(), 'Which known agent it is.'),
  state: field(
    runStateSchema.clone(),
    'running, ended (its changes are being prepared), waiting, applied, undone (after it was applied), denied, sent-back (somebody asked for changes), conflict, unchanged, discarded or failed.',
  ),
  startedAt: text('When it started.'),
  exitCode: field(z.number().int().exactOptional(), 'Exit code of the program.'),
  startedBy: whoSchema,
  partOf: text('Id of the run that it is a part of, if somebody selected it there.').exactOptional(),
  request: field(runRequestSchema.clone().exactOptional(), 'What somebody last asked to change.'),
  keptUntil: text('When its draft is removed if nobody applies it.').exactOptional(),
  callId: text('Id of the call that applies its changes.').exactOptional(),
  chatId: text('Id of the chat that the call is in.').exactOptional(),
  approvalId: text('Id of the approval that waits for a decision.').exactOptional(),
  effect: field(effectSchema.clone().exactOptional(), 'What applying it will do.'),
  reason: text(
    'With denied, conflict or failed, and with unchanged if nothing of it can be applied: why.',
  ).exactOptional(),
});
api.add(runSchema, { id: 'Run' });
/** A program that ran in a draft of a working folder, and what became of its changes. */
export type Run = z.infer<typeof runSchema>;
