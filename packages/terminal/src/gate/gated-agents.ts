import { join } from 'node:path';
import { CommandError } from '../command-error.js';
import { gate } from '../words/gate.js';
import { addToClaude, gapInClaude, removeFromClaude } from './claude-settings.js';
import type { OriginalFile } from './config-change.js';
import { addToGemini, gapInGemini, geminiPolicy, removeFromGemini } from './gemini-settings.js';
import type { GatedAgent, HookAgent } from './hook-agents.js';
import { addToManagedClaude, gapInManagedClaude, removeFromManagedClaude } from './managed/managed-claude.js';
import { managedFolder } from './managed/managed-place.js';

export const GATED_AGENTS: readonly GatedAgent[] = ['claude', 'gemini'];
export const PROGRAM_NAMES: Readonly<Record<GatedAgent, string>> = { claude: 'Claude Code', gemini: 'Gemini CLI' };

/** Values that the written configuration depends on. */
export interface GateValues {
  /** The shell command that the agent runs as its hook. */
  readonly command: string;
  /** How long the agent waits for its hook. */
  readonly waitSeconds: number;
  /** Where people decide. Claude Code shows it while a call waits. */
  readonly page?: string;
  /** For Gemini CLI: the secret argument that marks a call as approved. */
  readonly pass: string;
  /** For Gemini CLI: the shell command that runs approved commands, without the id of the call. */
  readonly exec: string;
}

/** A configuration file of the agent. All functions are pure; those that parse throw a sentence for a file that they can't keep. */
export interface ConfigFile {
  readonly path: string;
  /** Contains a secret. */
  readonly isSecret: boolean;
  /** Every user of the machine must be able to read it. */
  readonly isPublic?: true;
  add(text: string | undefined, values: GateValues): string;
  /** The file without our parts; undefined to delete it. Without the original, settings that may be the user's own stay. */
  remove(text: string, original: OriginalFile | undefined): string | undefined;
  /** Why the file doesn't gate every call; undefined if it does. */
  gap(text: string | undefined, values: Omit<GateValues, 'waitSeconds'>): string | undefined;
}

/** A day. An approval that takes longer is denied by the agent's own timeout. */
export const WAIT_SECONDS = 86_400;

export interface Places {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly userHome: string;
  /** For the files of a managed gate: the folder of an administrator's configuration. */
  readonly system?: string;
}

/** The files to write, in this order: those that make the agent fail closed come first. */
export function configFiles(agent: GatedAgent, { env, userHome, system }: Places): readonly ConfigFile[] {
  if (system !== undefined) return managedFiles(agent, managedFolder(agent, system));
  switch (agent) {
    case 'claude': {
      const folder = nonEmpty(env['CLAUDE_CONFIG_DIR']) ?? join(userHome, '.claude');
      const file = join(folder, 'settings.json');
      return [
        {
          path: file,
          isSecret: false,
          add: (text, { command, waitSeconds, page }) =>
            addToClaude(text, { command, waitSeconds, file, ...(page === undefined ? {} : { page }) }),
          remove: (text, original) => removeFromClaude(text, original, file),
          gap: (text, { command }) => gapInClaude(text, { command, file }),
        },
      ];
    }
    case 'gemini': {
      const folder = join(nonEmpty(env['GEMINI_CLI_HOME']) ?? userHome, '.gemini');
      return geminiFiles(folder, join(folder, 'policies', POLICY), {});
    }
  }
}

const POLICY = 'countersign.toml';

/** Those of an administrator, in the vendor's folder. Gemini CLI finds the policy there by itself. */
function managedFiles(agent: GatedAgent, folder: string): readonly ConfigFile[] {
  if (agent === 'gemini') return geminiFiles(folder, join(folder, 'policies', POLICY), { isPublic: true });
  const file = join(folder, 'managed-settings.json');
  return [
    {
      path: file,
      isSecret: false,
      isPublic: true,
      add: (text, { command, waitSeconds }) => addToManagedClaude(text, { command, waitSeconds, file }),
      remove: (text, original) => removeFromManagedClaude(text, original, file),
      gap: (text, { command }) => gapInManagedClaude(text, { command, file }),
    },
  ];
}

/** `isPublic`: the administrator's, whose policy is read without being named. */
function geminiFiles(folder: string, policy: string, place: { readonly isPublic?: true }): readonly ConfigFile[] {
  const file = join(folder, 'settings.json');
  const named = place.isPublic === true ? undefined : policy;
  return [
    {
      path: policy,
      isSecret: true,
      ...place,
      add: (_, { pass, exec }) => geminiPolicy(pass, exec),
      remove: () => undefined,
      gap: (text, { pass, exec }) => (text === geminiPolicy(pass, exec) ? undefined : gate.policyChanged(policy)),
    },
    {
      path: file,
      isSecret: false,
      ...place,
      add: (text, { command, waitSeconds }) => addToGemini(text, { command, waitSeconds, file, policy: named }),
      remove: (text, original) => removeFromGemini(text, original, { file, policy: named }),
      gap: (text, { command }) => gapInGemini(text, { command, file, policy: named }),
    },
  ];
}

/** Rejects agents that can't be gated by hooks. */
export function checkGated(agent: HookAgent): GatedAgent {
  if (agent === 'codex') throw new CommandError(gate.codexRefused);
  return agent;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
