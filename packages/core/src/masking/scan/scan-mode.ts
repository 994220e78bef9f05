/** A piece of scanned text. A `joint`, such as a line break in a private key, is shown unless the secret continues right after it. */
export interface Piece {
  kind: 'shown' | 'secret' | 'joint';
  text: string;
}

/** The syntax that introduces a value. It determines what may precede the value and occur in it. */
export type ValueOf =
  | 'assignment' // `name=`: a space right after it means that there is no value (`PASSWORD= cmd` runs cmd)
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
  /** The quote that opened the value. `whole`: the value is a separate string, as in an array of arguments. */
  quote: '' | '"' | "'" | '\\"' | "\\'" | 'whole';
  /** Whether whitespace in the quotes belongs to the value. */
  many: boolean;
  closed: boolean;
  /** Whether the value is in a shell's `NAME=value`, where a command may follow. After a space, only words that look like keys are masked. */
  cautious: boolean;
  /** Whether a space was read after the name. */
  spaced: boolean;
  /** The mode that the last masked word would have started if it were not masked: in `token: x-api-key: abc`, the first value must not swallow the second name. */
  announced: ScanMode | undefined;
  /** Whether the last character shown was a `,`, or a `;` between cookies. */
  separated: boolean;
  /** Whether the value is in a bracketed list. The next secret then follows a comma. */
  listed: boolean;
}

/** After a secret name at the end of a line: list items that start with a dash may follow. */
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
  /** The character after the word. Empty at the end of the text, or if the word was split at the hold limit. */
  next: string;
  /** False if the word continues beyond the hold limit. */
  complete: boolean;
  /** Whether the word is in a shell's `NAME=value`. */
  variable: boolean;
  /** False if the surrounding text contains no key of a known format. */
  mayHoldKey: boolean;
  /** The command that the word belongs to, if its options can contain secrets. */
  command: string | undefined;
}

export interface ScanStep {
  pieces: Piece[];
  mode: ScanMode;
  /** How many characters of the word were consumed; all of them if absent. */
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

/** Limits nesting: with a value in a value in a value …, each word would cost more than the last. */
function cutAnnounced(mode: ValueMode, levels: number): ValueMode {
  if (mode.announced?.kind !== 'value') return mode;
  return { ...mode, announced: levels === 0 ? undefined : cutAnnounced(mode.announced, levels - 1) };
}

export const shown = (text: string): Piece => ({ kind: 'shown', text });
export const secret = (text: string): Piece => ({ kind: 'secret', text });
