import { kindOfProgram } from '../programs.js';
import { isInterpreter, isInterpreterName, isRunner, takesCodeFromInput } from './code-programs.js';
import { FILE_PROGRAMS } from './file-programs.js';
import { GIT } from './git-program.js';
import { NPM_PROGRAMS } from './npm-programs.js';
import { readWords } from './read-words.js';
import type { Effect, StarTable } from './star-table.js';
import { TEXT_PROGRAMS } from './text-programs.js';

/** The parts of a simple command that a rule ending with a star may cover. */
export interface StarJudgement {
  /** Positions of the words that a rule has to spell out. The program is always one of them. */
  readonly spell: readonly number[];
  readonly effect: Effect;
  /** Whether the program treats its stdin as data, not as code or instructions. */
  readonly filters: boolean;
  readonly files?: readonly number[];
}

const TABLES: Readonly<Record<string, StarTable>> = {
  ...TEXT_PROGRAMS,
  ...FILE_PROGRAMS,
  ...NPM_PROGRAMS,
  git: GIT,
};

/**
 * A star matches only operands and options that are known to be harmless for the program (RULE6). For programs without a table it matches no
 * options, and for programs that run given code it matches nothing.
 */
export function judgeStar(words: readonly string[]): StarJudgement {
  const [program = ''] = words;
  const table = tableOf(program);
  if (table !== undefined) {
    const { spell, effect, files } = readWords(table, words, 1);
    const places = spell === 'all' ? [...words.keys()] : [0, ...[...spell].sort((a, b) => a - b)];
    return { spell: places, effect, filters: effect !== 'runs', ...(files === undefined ? {} : { files }) };
  }
  const code = isInterpreter(program);
  const plain = plainName(program);
  const opaque = code || isRunner(program) || (plain !== program && isKnown(plain));
  const spell = [...words.keys()].filter((at) => at === 0 || opaque || !isPlainOperand(words[at] ?? ''));
  return { spell, effect: 'runs', filters: code && !takesCodeFromInput(words) };
}

/** The prefix of cross-compilers and their tools. */
const TARGET = /^(?:[a-z0-9_]+-)+(?:gnu|musl|eabi|elf|mingw)[a-z0-9_]*-/;

/** The plain name of a program: `Sed` on case-insensitive file systems, `sed-4.8` and `x86_64-linux-gnu-sed` are all sed. */
function plainName(program: string): string {
  return program
    .toLowerCase()
    .replace(TARGET, '')
    .replace(/\.(?:exe|com|bat|cmd|ps1)$/, '')
    .replace(/[-.]?\d[\d.]*$/, '');
}

function isKnown(program: string): boolean {
  return (
    tableOf(program) !== undefined ||
    kindOfProgram(program) !== undefined ||
    isRunner(program) ||
    isInterpreter(program) ||
    program === 'cmd'
  );
}

function tableOf(program: string): StarTable | undefined {
  return Object.hasOwn(TABLES, program) ? TABLES[program] : undefined;
}

/** Words that tell a program to run what follows. */
const RUN = /^(?:exec|execute|run|eval|call|shell|sh|cmd|command|dlx|start|foreach|for-each|with|do)$/i;
/** An option, a response file, a setting, or text that may be code. */
const NO_OPERAND = /^[-+@=:!]|^[A-Za-z_][\w.-]*=|[\s;|&$`<>(){}!"'\\*?]/;
const CHANGES = /^(?:touch|rm|cp|mv|ln|tee|dd|chmod|chown|curl|wget|install|mkfifo|kill)$/;

/** For a program without a table: whether a word is a name or path, but neither a program nor a word that runs one. */
function isPlainOperand(word: string): boolean {
  if (word === '' || NO_OPERAND.test(word) || RUN.test(word) || CHANGES.test(word)) return false;
  return kindOfProgram(word) === undefined && !isInterpreterName(word);
}
