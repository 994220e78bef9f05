import type { Subject } from '@countersign/protocol';

/** Characters that mean only themselves to bash, wherever they stand. */
const PLAIN_TEXT = /^[A-Za-z0-9\-_./:=@%+, \t]+$/;

/** Words that make what follows something else than their arguments: another command, or part of a sentence of the shell's own. */
const NOT_A_PROGRAM: ReadonlySet<string> = new Set(
  `if then elif else fi for select while until do done case esac in function time coproc
   . source eval exec command builtin trap alias unalias enable env xargs parallel find sudo doas su runuser setpriv chroot
   nohup nice ionice timeout stdbuf setsid unshare nsenter flock watch script ssh bash sh dash zsh ksh fish busybox`.split(
    /\s+/,
  ),
);

/** What a command touches, as far as it is plain from its text; anything else is dynamic, and no rule allows that unasked. */
export function subjectsOfCommand(command: string, parameters: readonly string[] = []): readonly Subject[] {
  // Not the command itself: this reason is shown as it stands, and a command may hold a secret (A15).
  const why = whyDynamic(command);
  if (why !== undefined) return [{ kind: 'dynamic', why }];
  return [{ kind: 'words', words: [...wordsOf(command), ...parameters] }];
}

function whyDynamic(command: string): string | undefined {
  if (!PLAIN_TEXT.test(command)) return 'it is more than one plain command';
  const [program = ''] = wordsOf(command);
  if (program === '') return 'there is no command';
  if (program.includes('=')) return 'a variable is set before the command';
  if (program.includes('/')) return 'the program is named by a path';
  if (NOT_A_PROGRAM.has(program)) return `"${program}" runs something else`;
  return undefined;
}

function wordsOf(command: string): string[] {
  return command.split(/[ \t]+/).filter((word) => word !== '');
}
