import { splitCommand } from '@countersign/client';
import type { AcpSettings } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { readLines } from '../servers/secret-rows.js';
import { TextArea, TextField } from '../form/field.js';
import { Icon } from '../ui/icon.js';
import { acpWords } from '../words/acp.js';
import { serverWords } from '../words/servers.js';
import type { Fields } from '../form/use-fields.js';

/** How the program of an ACP agent is started, as typed (EXT3). */
export interface AcpTexts {
  command: string;
  /** One argument per line. */
  args: string;
  program: string;
  mode: string;
  /** Names between spaces, commas or line breaks. */
  env: string;
}

export function acpTexts(acp: AcpSettings | undefined): AcpTexts {
  const [command = '', ...args] = acp?.command ?? [];
  return {
    command,
    args: args.join('\n'),
    program: acp?.program ?? '',
    mode: acp?.mode ?? '',
    env: (acp?.env ?? []).join(' '),
  };
}

/** The command line that was typed or pasted as the program, with its arguments moved to their field. */
function withSplitCommand(texts: AcpTexts): AcpTexts {
  const split = splitCommand(texts.command);
  if (!split.ok) return texts;
  return { ...texts, command: split.command, args: [...split.args, ...readLines(texts.args)].join('\n') };
}

export function readAcp(texts: AcpTexts): { ok: true; acp: AcpSettings } | { ok: false; words: string } {
  const split = splitCommand(texts.command);
  if (!split.ok) {
    const words = split.why === 'shell' ? serverWords.needsShell(split.syntax) : serverWords.openQuote;
    return { ok: false, words };
  }
  const { command, args } = withSplitCommand(texts);
  const program = texts.program.trim();
  const mode = texts.mode.trim();
  const env = texts.env.split(/[\s,]+/).filter((name) => name !== '');
  return {
    ok: true,
    acp: {
      command: [command.trim(), ...readLines(args)],
      ...(program === '' ? {} : { program }),
      ...(mode === '' ? {} : { mode }),
      ...(env.length === 0 ? {} : { env }),
    },
  };
}

export function AcpFields({ fields: { set, text } }: { fields: Fields<AcpTexts> }): ReactElement {
  return (
    <>
      <p className="flex items-start gap-1.5 text-sm text-amber">
        <Icon name="alert" className="mt-0.5 size-4" />
        <span>{acpWords.unsandboxed}</span>
      </p>
      <TextField
        label={acpWords.command}
        mono
        required
        placeholder={acpWords.commandExample}
        hint={serverWords.commandHint}
        {...text('command', 'acp.command')}
        onBlur={() => set(withSplitCommand)}
      />
      <TextArea
        label={serverWords.arguments}
        mono
        rows={2}
        hint={acpWords.argumentsHint}
        {...text('args', 'acp.args')}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label={acpWords.program} mono hint={acpWords.programHint} {...text('program', 'acp.program')} />
        <TextField label={acpWords.mode} mono hint={acpWords.modeHint} {...text('mode', 'acp.mode')} />
      </div>
      <TextField
        label={acpWords.env}
        mono
        placeholder={acpWords.envExample}
        hint={acpWords.envHint}
        {...text('env', 'acp.env')}
      />
    </>
  );
}
