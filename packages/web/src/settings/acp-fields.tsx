import { splitCommand } from '@countersign/client';
import type { AcpSettings } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { readLines } from '../servers/secret-rows.js';
import { TextArea, TextField } from '../form/field.js';
import { Icon } from '../ui/icon.js';
import { acpWords } from '../words/acp.js';
import { serverWords } from '../words/servers.js';
import type { Saving } from '../form/use-saving.js';

/** How the program of an ACP agent is started, as typed (A59). */
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

export function AcpFields({
  texts,
  saving,
  onChange,
}: {
  texts: AcpTexts;
  saving: Saving;
  /** A blur and the next input can come before a render, so each change applies to the latest texts. */
  onChange: (change: (texts: AcpTexts) => AcpTexts) => void;
}): ReactElement {
  const set = (part: Partial<AcpTexts>): void => onChange((now) => ({ ...now, ...part }));
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
        value={texts.command}
        hint={serverWords.commandHint}
        error={saving.errorOf('acp.command')}
        onChange={(event) => set({ command: event.target.value })}
        onBlur={() => onChange(withSplitCommand)}
      />
      <TextArea
        label={serverWords.arguments}
        mono
        rows={2}
        hint={acpWords.argumentsHint}
        value={texts.args}
        onChange={(event) => set({ args: event.target.value })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={acpWords.program}
          mono
          value={texts.program}
          hint={acpWords.programHint}
          error={saving.errorOf('acp.program')}
          onChange={(event) => set({ program: event.target.value })}
        />
        <TextField
          label={acpWords.mode}
          mono
          value={texts.mode}
          hint={acpWords.modeHint}
          error={saving.errorOf('acp.mode')}
          onChange={(event) => set({ mode: event.target.value })}
        />
      </div>
      <TextField
        label={acpWords.env}
        mono
        placeholder={acpWords.envExample}
        value={texts.env}
        hint={acpWords.envHint}
        error={saving.errorOf('acp.env')}
        onChange={(event) => set({ env: event.target.value })}
      />
    </>
  );
}
