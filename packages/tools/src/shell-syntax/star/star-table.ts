/**
 * What a program, or one of its subcommands, does to files: `reads` writes nothing and runs nothing, `writes` changes files that it
 * names, `runs` may run code that it finds in files.
 */
export type Effect = 'reads' | 'writes' | 'runs';

/** What the star of a rule may stand for, for one program or subcommand. Whatever is not in here has to be spelled out. */
export interface StarTable {
  /**
   * Known options, separated by blanks: `-a` and `--all` take no value, `-n=` and `--lines=` take one, `--color[=]` takes one only when
   * it is attached, `-#` is any number (`-5`). Those behind a `!` are understood, and still have to be spelled out.
   */
  readonly options?: string;
  /** `letters` (the default): `-la` is `-l -a`. `words`: an option with one dash is a whole word, as for `find`. */
  readonly style?: 'letters' | 'words';
  /** Values that options may have, where not any value will do. */
  readonly values?: Readonly<Record<string, Check>>;
  /** How many operands a star takes. Absent: any number. */
  readonly most?: number;
  readonly operand?: Check;
  /** Each word is judged by itself, options and operands alike: all it does is print or compare them. */
  readonly word?: Check;
  /** The first operand is program text, unless an option has brought it. */
  readonly program?: { readonly isHarmless: (text: string) => boolean; readonly givenBy: readonly string[] };
  /** `tar xf a`: the first word is options even without a dash. */
  readonly bundled?: true;
  /** What follows `--` is for another program, and has to be spelled out. */
  readonly passesOn?: true;
  /** Subcommands. One that is not listed has to be spelled out, and so does everything behind it. */
  readonly subcommands?: Readonly<Record<string, StarTable>>;
  /** Default: `reads`, or `writes` with a word that has to be spelled out. */
  readonly effect?: Effect;
  /** Without operands it only lists: then a star may stand for the subcommand too. */
  readonly listsAlone?: true;
}

type Check = (text: string) => boolean;

export interface Option {
  readonly value: 'none' | 'needed' | 'attached';
  readonly harmless: boolean;
}

/** An option's name with its dashes, `-#` for a number. */
export type Options = ReadonlyMap<string, Option>;

export function readOptions(text: string): Options {
  const found = new Map<string, Option>();
  for (const token of text.split(/\s+/)) {
    const parts = /^(!?)(-{1,2}[^=[\]]+)(=|\[=\])?$/.exec(token);
    if (parts === null) continue;
    const [, mark, name = '', sign] = parts;
    const value = sign === undefined ? 'none' : sign === '=' ? 'needed' : 'attached';
    found.set(name, { value, harmless: mark === '' });
  }
  return found;
}
