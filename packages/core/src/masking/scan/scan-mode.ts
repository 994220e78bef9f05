/** A stretch of scanned text. `joint` is shown, unless a secret goes on right after it (line ends inside a private key). */
export interface Piece {
  kind: 'shown' | 'secret' | 'joint';
  text: string;
}

/** What introduced a value, and so what may come before and inside it. */
export type ValueOf =
  | 'assignment' // `name=`: a blank right after it means no value (`PASSWORD= cmd` runs cmd)
  | 'field' // `name: ` or `name = `
  | 'flag' // `--password `
  | 'bearer'
  | 'scheme' // `Authorization: Basic `
  | 'authorization'
  | 'cookie'
  | 'item' // `- ` in a list whose name tells that these are secrets
  | 'user'; // `-u name:password`

export interface ValueMode {
  kind: 'value';
  of: ValueOf;
  started: boolean;
  /** The quote that the value opened. `whole`: the value is a string of its own, as in an array of arguments. */
  quote: '' | '"' | "'" | '\\"' | "\\'" | 'whole';
  /** Whether blanks inside the quote belong to the value. */
  many: boolean;
  closed: boolean;
  /** Stands in `NAME=value` of a shell, where a command may follow. Beyond a blank only what looks like a key is masked then. */
  cautious: boolean;
  /** A blank was read since the value was announced. */
  spaced: boolean;
  /** What the last masked word announces itself: in `token: x-api-key: abc` the first value must not swallow the second name. */
  announced: ScanMode | undefined;
  /** The last thing shown was a `,`, or a `;` between cookies. */
  separated: boolean;
  /** Stands between the brackets of a list: after a comma comes the next secret. */
  listed: boolean;
}

/** After a telling name that ended its line: the lines of a list may follow, each beginning with a dash. */
export interface ListMode {
  kind: 'list';
}

/** A telling name was read; a `:` or `=` may follow. */
export interface NamedMode {
  kind: 'named';
  of: 'field' | 'authorization' | 'cookie';
}

/** Between the lines that begin and end a private key. `header`: in a line such as `DEK-Info: …`. */
export interface PemBodyMode {
  kind: 'pem-body';
  lastLength: number;
  afterBlank: boolean;
  header: boolean;
}

/** What the scanner is in the middle of. */
export type ScanMode =
  | PlainMode
  | NamedMode
  | ValueMode
  | ListMode
  | { kind: 'pem-head'; privateKey: boolean }
  | PemBodyMode;

export interface WordToken {
  text: string;
  /** The last character of the same word that was already scanned, if the word was too long to hold. */
  before: string;
  /** The character after the word; empty at the end of the text or where the word was cut at the hold limit. */
  next: string;
  /** False where the word goes on beyond the hold limit. */
  complete: boolean;
  /** Stands in `NAME=value` of a shell. */
  variable: boolean;
  /** False: the text around it, and so the word, holds no key of a known shape. */
  mayHoldKey: boolean;
  /** Which command it is a word of, if its options can hold secrets. */
  command: string | undefined;
}

export interface ScanStep {
  pieces: Piece[];
  mode: ScanMode;
  /** How much of the word was dealt with; all of it if absent. */
  consumed?: number;
}

export interface PlainMode {
  kind: 'plain';
}

export const plainMode: PlainMode = { kind: 'plain' };
export const listMode: ListMode = { kind: 'list' };
export const pemBody: PemBodyMode = { kind: 'pem-body', lastLength: 0, afterBlank: false, header: false };

export function valueMode(of: ValueOf, cautious = false): ValueMode {
  return {
    kind: 'value',
    of,
    started: false,
    quote: '',
    many: false,
    closed: false,
    cautious,
    spaced: false,
    announced: undefined,
    separated: false,
    listed: false,
  };
}

export function withAnnounced(mode: ValueMode, announced: ScanMode): ValueMode {
  if (announced.kind === 'plain') return mode.announced === undefined ? mode : { ...mode, announced: undefined };
  return { ...mode, announced: announced.kind === 'value' ? cutAnnounced(announced, 1) : announced };
}

/** Text that announces a value in a value in a value … would make every word cost more than the last. */
function cutAnnounced(mode: ValueMode, levels: number): ValueMode {
  if (mode.announced?.kind !== 'value') return mode;
  return { ...mode, announced: levels === 0 ? undefined : cutAnnounced(mode.announced, levels - 1) };
}

export const shown = (text: string): Piece => ({ kind: 'shown', text });
export const secret = (text: string): Piece => ({ kind: 'secret', text });
