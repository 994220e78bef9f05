import type { Command } from 'commander';
import { CommandError } from '../command-error.js';
import { suggestion } from '../text/suggest.js';
import type { Register } from './register.js';

const SHELLS = ['bash', 'zsh', 'fish'];

/** `countersign completion` : commands, their commands and their flags. */
export function addCompletion(program: Command, register: Register): void {
  const command = program
    .command('completion')
    .argument('<shell>', SHELLS.join(', '))
    .description('Prints a script that completes commands and flags.')
    .addHelpText(
      'after',
      '\nExamples:\n  source <(countersign completion bash)\n  countersign completion zsh > ~/.zfunc/_countersign\n  countersign completion fish > ~/.config/fish/completions/countersign.fish',
    );
  register(command, async (context, { args }) => {
    const [shell = ''] = args;
    if (!SHELLS.includes(shell))
      throw new CommandError(`There is no completion for "${shell}". ${suggestion(shell, SHELLS)}`);
    const script = completionScript(shell, wordsOf(program));
    if (context.options.json) context.json({ shell, script });
    else context.say(script);
  });
}

/** What may follow after each beginning of a command line. */
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
  const cases = [...tree].map(([path, words]) => ({ path, words: words.join(' ') }));
  switch (shell) {
    case 'fish':
      return [
        'complete -c countersign -f',
        ...cases.map(({ path, words }) => {
          const parts = path === '' ? [] : path.split(' ');
          const seen = parts.map((word) => `__fish_seen_subcommand_from ${word}`);
          const condition = seen.length === 0 ? '__fish_use_subcommand' : seen.join('; and ');
          return `complete -c countersign -n '${condition}' -a '${words}'`;
        }),
      ].join('\n');
    case 'zsh':
      return ['#compdef countersign', 'autoload -U +X bashcompinit && bashcompinit', bash(cases)].join('\n');
    default:
      return bash(cases);
  }
}

function bash(cases: readonly { path: string; words: string }[]): string {
  return [
    '_countersign() {',
    '  local path="" word words',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    case "$word" in -*) ;; *) path="${path:+$path }$word" ;; esac',
    '  done',
    '  while :; do',
    '    case "$path" in',
    ...cases.map(({ path, words }) => `      "${path}") words="${words}"; break ;;`),
    '      *" "*) path="${path% *}" ;;',
    '      *) path="" ;;',
    '    esac',
    '  done',
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    'complete -o default -F _countersign countersign',
  ].join('\n');
}
