import { splitCommand } from '@countersign/client';
import type { AcpSettings } from '@countersign/protocol';
import type { ReactElement } from 'react';
import { readLines } from '../servers/secret-rows.js';
import { TextArea, TextField } from '../form/field.js';
import { Icon } from '../ui/icon.js';
import { t } from '../words/acp.js';
import { t as commandWords } from '../words/servers.js';
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
    const words = split.why === 'shell' ? commandWords.needsShell(split.syntax) : commandWords.openQuote;
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
        <span>{t.unsandboxed}</span>
      </p>
      <TextField
        label={t.command}
        mono
        required
        placeholder={t.commandExample}
        value={texts.command}
        hint={commandWords.commandHint}
        error={saving.errorOf('acp.command')}
        onChange={(event) => set({ command: event.target.value })}
        onBlur={() => onChange(withSplitCommand)}
      />
      <TextArea
        label={commandWords.arguments}
        mono
        rows={2}
        hint={t.argumentsHint}
        value={texts.args}
        onChange={(event) => set({ args: event.target.value })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t.program}
          mono
          value={texts.program}
          hint={t.programHint}
          error={saving.errorOf('acp.program')}
          onChange={(event) => set({ program: event.target.value })}
        />
        <TextField
          label={t.mode}
          mono
          value={texts.mode}
          hint={t.modeHint}
          error={saving.errorOf('acp.mode')}
          onChange={(event) => set({ mode: event.target.value })}
        />
      </div>
      <TextField
        label={t.env}
        mono
        placeholder={t.envExample}
        value={texts.env}
        hint={t.envHint}
        error={saving.errorOf('acp.env')}
        onChange={(event) => set({ env: event.target.value })}
      />
    </>
  );
}
