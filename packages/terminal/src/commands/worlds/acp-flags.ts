import { ACP_PROVIDER, type AcpSettings, acpProgram } from '@countersign/protocol';
import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import { errors } from '../../words/errors.js';
import { agentsHelp as help } from '../../words/help-worlds.js';

/** How the program of an ACP agent is started (EXT3). */
export interface AcpFlags {
  command?: string;
  program?: string;
  env?: string;
  mode?: string;
}

export function withAcpFlags(command: Command): Command {
  return command
    .option('--command <words>', help.command)
    .option('--program <name>', help.program)
    .option('--env <names>', help.env)
    .option('--mode <id>', help.mode);
}

/** `before`: the settings of the agent that is being edited. */
export function readAcpFlags(flags: AcpFlags, before?: AcpSettings): { acp?: AcpSettings } {
  const { command, program, env, mode } = flags;
  if ([command, program, env, mode].every((flag) => flag === undefined)) return {};
  const words = command === undefined ? before?.command : readWords(command);
  if (words === undefined || words.length === 0) throw new CommandError(errors.needsCommand);
  return {
    acp: {
      ...before,
      command: words,
      ...(program === undefined ? {} : { program }),
      ...(env === undefined ? {} : { env: env.split(/[\s,]+/).filter((name) => name !== '') }),
      ...(mode === undefined ? {} : { mode }),
    },
  };
}

/** The provider and model of an agent with a command: the model is the program's own affair. */
export function acpDefaults({ acp }: { acp?: AcpSettings }): { provider?: string; model?: string } {
  return acp === undefined ? {} : { provider: ACP_PROVIDER, model: acpProgram(acp) };
}

/** Words between spaces, or a JSON list if a word contains spaces. */
function readWords(text: string): string[] {
  if (!text.trimStart().startsWith('[')) return text.split(/\s+/).filter((word) => word !== '');
  try {
    const words: unknown = JSON.parse(text);
    if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return words;
  } catch {
    // Reported below.
  }
  throw new CommandError(errors.needsCommand);
}
