import type { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../context.js';

/** The arguments and flags of a command. */
interface Given<Options> {
  readonly args: readonly string[];
  readonly options: Options;
}

type Act<Options> = (context: CommandContext, given: Given<Options>) => Promise<number | void>;

/** Attaches an action to a command. */
export type Register = <Options = Record<string, never>>(command: Command, act: Act<Options>) => void;

export interface Ends {
  readonly begin: (options: GlobalOptions) => CommandContext;
  readonly end: (code: number) => void;
}

/** The full name, such as `countersign mcp add`. */
function namesOf(command: Command): string[] {
  return [...(command.parent === null ? [] : namesOf(command.parent)), command.name()];
}

export function registerWith({ begin, end }: Ends): Register {
  return <Options>(command: Command, act: Act<Options>) => {
    command.action(async () => {
      const { home, url, allowHttp, json, verbose } = command.optsWithGlobals<Partial<GlobalOptions>>();
      const context = begin({
        ...(home === undefined ? {} : { home }),
        ...(url === undefined ? {} : { url }),
        ...(allowHttp === true ? { allowHttp } : {}),
        json: json === true,
        verbose: verbose === true,
        command: namesOf(command).join(' '),
      });
      end((await act(context, { args: command.args, options: command.opts() as Options })) ?? 0);
    });
  };
}
