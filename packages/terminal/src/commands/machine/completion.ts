import type { Command } from 'commander';
import { CommandError } from '../../command-error.js';
import { suggestion } from '../../text/suggest.js';
import type { Register } from '../register.js';
import { errors } from '../../words/errors.js';
import { withHelp } from '../../words/help.js';
import { completionHelp } from '../../words/help-server.js';

const SHELLS = ['bash', 'zsh', 'fish'];

/** `countersign completion`: commands, subcommands and their flags. */
export function addCompletion(program: Command, register: Register): void {
  const command = withHelp(program.command('completion').argument('<shell>', SHELLS.join(', ')), completionHelp);
  register(command, async (context, { args }) => {
    const [shell = ''] = args;
    if (!SHELLS.includes(shell)) throw new CommandError(errors.noCompletion(shell, suggestion(shell, SHELLS)));
    const script = completionScript(shell, wordsOf(program));
    if (context.options.json) context.json({ shell, script });
    else context.say(script);
  });
}

/** The words that may follow each prefix of a command line. */
type WordTree = ReadonlyMap<string, readonly string[]>;

function wordsOf(program: Command): WordTree {
  const globals = program.options.map(({ long }) => long).filter((name) => name !== undefined && name !== null);
  const tree = new Map<string, readonly string[]>();
  const walk = (command: Command, path: string): void => {
    const flags = command.options.map(({ long }) => long).filter((name) => name !== undefined && name !== null);
    tree.set(path, [...new Set([...command.commands.map((sub) => sub.name()), ...flags, ...globals, '--help'])]);
    for (const sub of command.commands) walk(sub, `${path} ${sub.name()}`.trim());
  };
  walk(program, '');
  return tree;
}

function completionScript(shell: string, tree: WordTree): string {
  switch (shell) {
    case 'fish':
      return fish(tree);
    case 'zsh':
      return zsh(tree);
    default:
      return bash(tree);
  }
}

/** Flags whose value is a file or folder, and the command that takes a file. */
const FILE_FLAGS = ['--home', '--out', '--file', '--prompt-file', '--folder', '--root', '--script'];

// Only known words extend the path: the value of a flag must not be mistaken for a command.

function bash(tree: WordTree): string {
  return [
    wordsFunction(tree),
    '_countersign() {',
    '  local at="" word',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    if _countersign_words "${at:+$at }$word" >/dev/null; then at="${at:+$at }$word"; fi',
    '  done',
    '  COMPREPLY=($(compgen -W "$(_countersign_words "$at")" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -o default -F _countersign countersign',
  ].join('\n');
}

function zsh(tree: WordTree): string {
  return [
    '#compdef countersign',
    'compdef _countersign countersign',
    wordsFunction(tree),
    '_countersign() {',
    '  local at="" word',
    '  for word in "${(@)words[2,CURRENT-1]}"; do',
    '    if _countersign_words "${at:+$at }$word" >/dev/null; then at="${at:+$at }$word"; fi',
    '  done',
    `  if (( \${words[(I)${FILE_FLAGS.join('|')}]} == CURRENT - 1 )); then _files; return; fi`,
    '  local -a offers',
    '  offers=(${=$(_countersign_words "$at")})',
    '  compadd -a offers || _files',
    '}',
    '# Autoloaded from fpath, this file is the function body; sourced, it only defines the function.',
    'if [ "$funcstack[1]" = "_countersign" ]; then _countersign "$@"; fi',
  ].join('\n');
}

/** Works in bash and zsh. Fails for an unknown prefix. */
function wordsFunction(tree: WordTree): string {
  return [
    '_countersign_words() {',
    '  case "$1" in',
    ...[...tree].map(([path, words]) => `    "${path}") printf '%s\\n' '${words.join(' ')}' ;;`),
    '    *) return 1 ;;',
    '  esac',
    '}',
  ].join('\n');
}

function fish(tree: WordTree): string {
  return [
    'function __countersign_words',
    '  switch "$argv[1]"',
    ...[...tree].map(([path, words]) => `    case '${path}'\n      printf '%s\\n' ${words.join(' ')}`),
    "    case '*'",
    '      return 1',
    '  end',
    'end',
    'function __countersign_offers',
    "  set -l at ''",
    '  for word in (commandline -opc)',
    '    set -l next (string trim -- "$at $word")',
    '    if __countersign_words $next >/dev/null',
    '      set at $next',
    '    end',
    '  end',
    '  __countersign_words $at',
    'end',
    'function __countersign_wants_file',
    '  set -l words (commandline -opc)',
    `  contains -- $words[-1] import ${FILE_FLAGS.join(' ')}`,
    'end',
    "complete -c countersign -f -a '(__countersign_offers)'",
    'complete -c countersign -n __countersign_wants_file -F',
  ].join('\n');
}
