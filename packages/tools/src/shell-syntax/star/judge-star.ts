import { kindOfProgram } from '../programs.js';
import { isInterpreter, isInterpreterName, isRunner, takesCodeFromInput } from './code-programs.js';
import { FILE_PROGRAMS } from './file-programs.js';
import { GIT } from './git-program.js';
import { NPM_PROGRAMS } from './npm-programs.js';
import { readWords } from './read-words.js';
import type { Effect, StarTable } from './star-table.js';
import { TEXT_PROGRAMS } from './text-programs.js';

/** What a rule that ends with a star may cover of one simple command. */
export interface StarJudgement {
  /** Places of the words that a rule has to spell out. The program is always one of them. */
  readonly spell: readonly number[];
  readonly effect: Effect;
  /** Known to take what is piped into it as data, not as code or instructions. */
  readonly filters: boolean;
}

const TABLES: Readonly<Record<string, StarTable>> = {
  ...TEXT_PROGRAMS,
  ...FILE_PROGRAMS,
  ...NPM_PROGRAMS,
  git: GIT,
};

/**
 * A star stands for operands and for options known to be harmless for that program, and for nothing else (A30). A program without
 * a table gets no options, and one that runs code that it is given gets nothing at all.
 */
export function judgeStar(words: readonly string[]): StarJudgement {
  const [program = ''] = words;
  const table = tableOf(program);
  if (table !== undefined) {
    const { spell, effect } = readWords(table, words, 1);
    const places = spell === 'all' ? [...words.keys()] : [0, ...[...spell].sort((a, b) => a - b)];
    return { spell: places, effect, filters: effect !== 'runs' };
  }
  const code = isInterpreter(program);
  const plain = plainName(program);
  const opaque = code || isRunner(program) || (plain !== program && isKnown(plain));
  const spell = [...words.keys()].filter((at) => at === 0 || opaque || !isPlainOperand(words[at] ?? ''));
  return { spell, effect: 'runs', filters: code && !takesCodeFromInput(words) };
}

/** What compilers and their tools for another machine begin with. */
const TARGET = /^(?:[a-z0-9_]+-)+(?:gnu|musl|eabi|elf|mingw)[a-z0-9_]*-/;

/** Where file names ignore case, `Sed` is sed; and so are `sed-4.8` and `x86_64-linux-gnu-sed`. */
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

/** Words by which programs are told to run what follows. */
const RUN = /^(?:exec|execute|run|eval|call|shell|sh|cmd|command|dlx|start|foreach|for-each|with|do)$/i;
/** An option, a response file, a setting, or text that may be code. */
const NO_OPERAND = /^[-+@=:!]|^[A-Za-z_][\w.-]*=|[\s;|&$`<>(){}!"'\\*?]/;
const CHANGES = /^(?:touch|rm|cp|mv|ln|tee|dd|chmod|chown|curl|wget|install|mkfifo|kill)$/;

/** For a program that nobody has described: a name or a path, and neither a program nor a word that runs one. */
function isPlainOperand(word: string): boolean {
  if (word === '' || NO_OPERAND.test(word) || RUN.test(word) || CHANGES.test(word)) return false;
  return kindOfProgram(word) === undefined && !isInterpreterName(word);
}
