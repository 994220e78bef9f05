/** A piece of scanned text. `joint` is shown unless a secret continues right after it (line breaks in a private key). */
export interface Piece {
  kind: 'shown' | 'secret' | 'joint';
  text: string;
}

/** What announced a value. It determines what may precede and occur in the value. */
export type ValueOf =
  | 'assignment' // `name=`: a blank right after it means no value (`PASSWORD= cmd` runs cmd)
  | 'field' // `name: ` or `name = `
  | 'flag' // `--password `
  | 'bearer'
  | 'scheme' // `Authorization: Basic `
  | 'authorization'
  | 'cookie'
  | 'item' // `- ` in a list with a secret name
  | 'user'; // `-u name:password`

export interface ValueMode {
  kind: 'value';
  of: ValueOf;
  started: boolean;
  /** The quote that opened the value. `whole`: the value is its own string, as in an array of arguments. */
  quote: '' | '"' | "'" | '\\"' | "\\'" | 'whole';
  /** Whether whitespace in the quotes belongs to the value. */
  many: boolean;
  closed: boolean;
  /** The value is in a shell's `NAME=value`, where a command may follow. After a blank, only key-like words are masked. */
  cautious: boolean;
  /** A blank was read after the announcement. */
  spaced: boolean;
  /** What the last masked word announces: in `token: x-api-key: abc`, the first value must not swallow the second name. */
  announced: ScanMode | undefined;
  /** The last character shown was a `,`, or a `;` between cookies. */
  separated: boolean;
  /** The value is in a bracketed list, so the next secret follows a comma. */
  listed: boolean;
}

/** After a secret name at the end of a line: list items with leading dashes may follow. */
export interface ListMode {
  kind: 'list';
}

/** After a secret name: a `:` or `=` may follow. */
export interface NamedMode {
  kind: 'named';
  of: 'field' | 'authorization' | 'cookie';
}

/** Between the BEGIN and END lines of a private key. `header`: in a line such as `DEK-Info: …`. */
export interface PemBodyMode {
  kind: 'pem-body';
  lastLength: number;
  afterBlank: boolean;
  header: boolean;
}

/** The scanner's state. */
export type ScanMode =
  | PlainMode
  | NamedMode
  | ValueMode
  | ListMode
  | { kind: 'pem-head'; privateKey: boolean }
  | PemBodyMode;

export interface WordToken {
  text: string;
  /** The last scanned character of the same word, if the word exceeded the hold limit. */
  before: string;
  /** The character after the word. Empty at the end of the text or if the word was split at the hold limit. */
  next: string;
  /** False if the word continues beyond the hold limit. */
  complete: boolean;
  /** The word is in a shell's `NAME=value`. */
  variable: boolean;
  /** False if the surrounding text contains no key of a known format. */
  mayHoldKey: boolean;
  /** The command that the word belongs to, if its options can hold secrets. */
  command: string | undefined;
}

export interface ScanStep {
  pieces: Piece[];
  mode: ScanMode;
  /** How much of the word was consumed; all of it if absent. */
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

/** Limits nesting: text that announces a value in a value in a value … would make each word cost more than the last. */
function cutAnnounced(mode: ValueMode, levels: number): ValueMode {
  if (mode.announced?.kind !== 'value') return mode;
  return { ...mode, announced: levels === 0 ? undefined : cutAnnounced(mode.announced, levels - 1) };
}

export const shown = (text: string): Piece => ({ kind: 'shown', text });
export const secret = (text: string): Piece => ({ kind: 'secret', text });
