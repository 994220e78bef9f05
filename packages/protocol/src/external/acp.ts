import { z } from 'zod';
import { field } from '../input/field.js';
import { externalProgramSchema } from './external.js';

/** The provider of an agent that is another program, started here and spoken to over the Agent Client Protocol (EXT3). */
export const ACP_PROVIDER = 'acp';

/** Modes in which the known agents run calls without asking. */
const AUTOMATIC_MODES: ReadonlySet<string> = new Set([
  'acceptedits',
  'auto',
  'autoedit',
  'autoreview',
  'bypasspermissions',
  'fullaccess',
  'agentfullaccess',
  'workspacewrite',
  'yolo',
]);

/** Whether an agent in this mode is known to run calls without asking for permission. `program`: its name, as in its tools. */
export function isAutomaticMode(mode: string, program: string): boolean {
  const name = mode.toLowerCase().replaceAll(/[^a-z]/g, '');
  // Codex has a model that answers its questions in this mode. Other agents ask people in a mode of this name.
  return AUTOMATIC_MODES.has(name) || (program === 'codex' && name === 'agent');
}

const programPath = z
  .string()
  .min(1)
  .max(4096)
  .refine(
    (program) => program.startsWith('/') || !program.includes('/'),
    'must be the name of a program, or an absolute path',
  );

/** How the program of an ACP agent is started. It runs with the permissions of the server, outside any sandbox. */
export const acpSchema = z
  .strictObject({
    command: field(
      z
        .array(z.string().max(4096))
        .min(1)
        .max(100)
        .refine(([program = '']) => programPath.safeParse(program).success, {
          error: 'must start with the name of a program, or its absolute path',
        }),
      'The program and its arguments. No shell is involved.',
    ),
    program: field(
      externalProgramSchema.exactOptional(),
      'What the program is called in the names of its tools: `gemini__execute`. Default: the file name of the program.',
    ),
    env: field(
      z
        .array(
          z
            .string()
            .regex(/^[A-Za-z_][A-Za-z0-9_]{0,199}$/, 'must be the name of an environment variable')
            .refine((name) => !/^(?:COUNTERSIGN_|DATABASE_URL$)/.test(name), "can't be a variable of Countersign"),
        )
        .max(100)
        .exactOptional(),
      "The names of the server's environment variables that the program gets. By default, it gets none but the usual ones.",
    ),
    mode: field(
      z.string().min(1).max(200).exactOptional(),
      'The id of the session mode. Default: the mode in which the agent asks most.',
    ),
  })
  .refine(({ mode, ...acp }) => mode === undefined || !isAutomaticMode(mode, acpProgram(acp)), {
    path: ['mode'],
    error: 'the agent would run calls without asking in this mode',
  });
export type AcpSettings = z.infer<typeof acpSchema>;

/** What the agent's program is called in the names of its tools. */
export function acpProgram({ program, command }: { program?: string; command: readonly string[] }): string {
  if (program !== undefined) return program;
  const file = command[0]?.split('/').at(-1) ?? '';
  const name = file
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^[^a-z]+|-+$/g, '');
  const known = KNOWN_PROGRAMS.get(name) ?? name.slice(0, 32);
  return externalProgramSchema.safeParse(known).success ? known : 'agent';
}

const KNOWN_PROGRAMS: ReadonlyMap<string, string> = new Map([
  ['claude-agent-acp', 'claude'],
  ['claude-code-acp', 'claude'],
  ['codex-acp', 'codex'],
]);

/** In the arguments of a call whose agent sent only a title: the title. No rule can allow such a call. */
export const ONLY_TITLE = 'only_a_title';
