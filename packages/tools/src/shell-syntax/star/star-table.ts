/**
 * The effect of a program or subcommand on files: `reads` writes and runs nothing, `writes` changes files that it
 * names, `runs` may run code that it finds in files.
 */
export type Effect = 'reads' | 'writes' | 'runs';

/** What a star in a rule may match for one program or subcommand. All other words have to be spelled out. */
export interface StarTable {
  /**
   * Known options, separated by spaces: `-a` and `--all` take no value, `-n=` and `--lines=` take one, `--color[=]`
   * takes only an attached one, `-#` is any number (`-5`). Options after `!` are known but still have to be spelled
   * out.
   */
  readonly options?: string;
  /** `letters` (default): `-la` is `-l -a`. `words`: an option with one dash is a whole word, as in `find`. */
  readonly style?: 'letters' | 'words';
  /** Allowed values, for options that don't accept every value. */
  readonly values?: Readonly<Record<string, Check>>;
  /** The maximum number of operands that a star matches. Default: any number. */
  readonly most?: number;
  readonly operand?: Check;
  /** Set if operands name files: how many come before the first file, such as the pattern of `grep`. */
  readonly files?: 0 | 1;
  /** Checks each word separately, whether option or operand, because the program only prints or compares words. */
  readonly word?: Check;
  /** The first operand is program text, unless an option provides it. */
  readonly program?: { readonly isHarmless: (text: string) => boolean; readonly givenBy: readonly string[] };
  /** `tar xf a`: the first word contains options even without a dash. */
  readonly bundled?: true;
  /** Words after `--` are passed to another program and have to be spelled out. */
  readonly passesOn?: true;
  /** Subcommands. An unlisted one has to be spelled out, with everything after it. */
  readonly subcommands?: Readonly<Record<string, StarTable>>;
  /** Default: `reads`, or `writes` if a word has to be spelled out. */
  readonly effect?: Effect;
  /** Without operands, the subcommand only lists, so a star may match it too. */
  readonly listsAlone?: true;
}

type Check = (text: string) => boolean;

export interface Option {
  readonly value: 'none' | 'needed' | 'attached';
  readonly harmless: boolean;
}

/** Option name with its dashes; `-#` for a number. */
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
