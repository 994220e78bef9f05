import { z } from 'zod';
import { field, text } from '../input/field.js';

const PLAIN = [
  'arithmetic',
  'arguments-not-object',
  'arguments-unreadable',
  'background',
  'braces',
  'called-otherwise',
  'changes-folder',
  'code-from-file',
  'command-substitution',
  'continued-line',
  'control-flow',
  'escapes',
  'expansion',
  'function',
  'glob',
  'here-document',
  'home-folder',
  'input-from-file',
  'invisible-characters',
  'nested-code',
  'nested-expansion',
  'no-command',
  'no-folder',
  'no-subjects',
  'output-to-file',
  'piped-input',
  'program-path',
  'run-part',
  'run-sent-back',
  'shell-characters',
  'test',
  'title-only',
  'too-complex',
  'too-long',
  'translation',
  'unknown-arguments',
  'uncertain',
  'unknown-folder',
  'unknown-syntax',
  'unparsable',
  'variable',
] as const;

/**
 * Why no rule can allow a call in advance. `program` is a program in the command, `path` the file to be written. `told`: text from a
 * third-party tool.
 */
export const causeSchema = z.discriminatedUnion('code', [
  z.object({ code: field(z.enum(PLAIN), 'Stable code for programs.') }),
  z.object({
    code: field(z.enum(['changes-commands', 'runs-program', 'runs-text']), 'Stable code for programs.'),
    program: text('Name of the program in the command.'),
  }),
  z.object({ code: z.literal('runs-later'), path: text('Path of the file.') }),
  z.object({ code: z.literal('hard-links'), count: field(z.number().int(), 'Number of hard links.') }),
  z.object({ code: z.literal('opens-hosts'), hosts: text('Hosts that the command connects to.') }),
  z.object({ code: z.literal('run-needs-person'), paths: text('Such paths.') }),
  z.object({ code: z.literal('subjects-failed'), problem: text('What is wrong.') }),
  z.object({ code: z.literal('told'), text: text('The reason that the tool gives.') }),
]);
export type Cause = z.infer<typeof causeSchema>;

/** Converts a cause that a third-party tool gives as text. */
export function toCause(why: Cause | string): Cause {
  return typeof why === 'string' ? { code: 'told', text: why } : why;
}

export function describeCause(cause: Cause): string {
  if (isPlain(cause)) return WORDS[cause.code];
  switch (cause.code) {
    case 'changes-commands':
      return `"${cause.program}" changes what later commands mean`;
    case 'runs-program':
      return `"${cause.program}" runs another program`;
    case 'runs-text':
      return `"${cause.program}" runs text as a script`;
    case 'runs-later':
      return `other programs may run ${cause.path} later, outside the sandbox`;
    case 'hard-links':
      return `the file has ${cause.count} hard links, and a rule may cover it under another name`;
    case 'opens-hosts':
      return `the command may reach ${cause.hosts}`;
    case 'run-needs-person':
      return `no rule can allow a new executable, a dot-file, an ignored file, a login, a branch or a tag (${cause.paths})`;
    case 'subjects-failed':
      return `the tool failed to report what the call accesses (${cause.problem})`;
    case 'told':
      return cause.text;
  }
}

function isPlain(cause: Cause): cause is Extract<Cause, { code: (typeof PLAIN)[number] }> {
  return PLAIN.some((code) => code === cause.code);
}

const WORDS: Readonly<Record<(typeof PLAIN)[number], string>> = {
  arithmetic: 'the command uses shell arithmetic',
  'arguments-not-object': 'the arguments are not an object',
  'arguments-unreadable': "the arguments contain values that rules can't compare",
  background: 'the command runs something in the background',
  braces: 'the command uses brace expansion',
  'called-otherwise': 'it contains a command, but the agent calls it a search, a read, an edit or a fetch',
  'changes-folder': 'the command runs cd before other commands',
  'code-from-file': 'a program may run code from a file that an earlier command writes',
  'command-substitution': 'the command uses command substitution',
  'continued-line': 'the command uses a line continuation',
  'control-flow': 'the command uses a loop or a case statement',
  escapes: 'the command uses escape sequences',
  expansion: 'the command expands a variable',
  function: 'the command defines a function',
  glob: 'the command uses a glob',
  'here-document': 'the command uses a here-document',
  'home-folder': 'the command uses tilde expansion (~)',
  'input-from-file': 'the command redirects input from a file',
  'invisible-characters': 'the command contains invisible characters',
  'nested-code': 'the command nests scripts too deeply',
  'nested-expansion': 'the command runs a script that contains expansions',
  'no-command': 'there is no command to run',
  'no-folder': 'the program did not say in which folder it works, so a relative path may mean any file',
  'no-subjects': 'the tool did not report which files, commands or hosts the call accesses',
  'output-to-file': 'the command redirects output to a file',
  'piped-input': 'the command pipes data into a program that may run it',
  'program-path': 'the command runs a program by path',
  'run-part': 'a person selected it from what a run changed, and nobody has run this combination',
  'run-sent-back': 'somebody asked for changes to the run, so a person has to look at what came of it',
  'shell-characters': 'the command contains shell metacharacters',
  test: 'the command tests a condition',
  'title-only': 'the agent sent only a title, not the arguments',
  'too-complex': 'the command is too long or too deeply nested to parse',
  'too-long': 'the command has too many words to check',
  'unknown-arguments': 'the agent sent arguments that may change what the call does',
  translation: 'the command uses a locale-translated string ($"…")',
  uncertain: "the command can't be parsed reliably",
  'unknown-folder': "the command runs cd with a target that can't be determined",
  'unknown-syntax': 'the command uses unsupported shell syntax',
  unparsable: "the command can't be parsed",
  variable: 'the command sets a variable',
};
