import type { Subject } from '@countersign/protocol';

export type Verb = 'allow' | 'ask' | 'deny';

/** Literal text, or a star. Two stars only ever make up a whole path segment; the parser refuses anything else. */
export type Piece = { readonly text: string } | { readonly stars: 1 | 2 };

/** One word of a pattern. No pieces: the empty word. Never two texts in a row, never an empty text. */
export type PatternWord = readonly Piece[];

/** What a pattern ends with: a closing parenthesis, or the end of the text. */
export type PatternEnd = 'parenthesis' | 'end';

export type Comparison = '<' | '<=' | '>' | '>=';

/** What a rule says of one argument. A name with dots is a path into nested arguments. */
export type Condition =
  | { readonly kind: 'equal'; readonly name: string; readonly value: PatternWord }
  | { readonly kind: 'compare'; readonly name: string; readonly operator: Comparison; readonly number: number };

/** `to=bob, amount > 100`: all conditions must hold, in any order. */
export interface Named {
  readonly conditions: readonly Condition[];
  /** It ends with `*`: an allow rule covers calls that have other arguments too. */
  readonly open: boolean;
  /** Stored rules of older versions separate conditions by blanks. */
  readonly separator: 'comma' | 'blank';
  /** A value has a comma that is neither quoted nor followed by a blank, so it may have been meant as a separator. */
  readonly joined: boolean;
}

/** One line of a policy. Neither `words` nor `named`: any arguments. Both: the text can be read either way. */
export interface Rule {
  readonly verb: Verb;
  readonly tool: string;
  readonly words?: readonly PatternWord[];
  readonly named?: Named;
  /** These words begin with `name=value`, so conditions were probably meant. */
  readonly begun?: true;
}

/** What `./` and `~/` in a pattern stand for. */
export interface Place {
  readonly workingDirectory: string;
  readonly home: string;
}

/** What a policy judges: a tool's name, its arguments and what the call touches. */
export interface PolicyCall {
  readonly tool: string;
  readonly subjects: readonly Subject[];
  readonly place: Place;
  /** Absent: no rule about a named argument applies. */
  readonly arguments?: { readonly ok: boolean; readonly value?: unknown };
  /** `arguments`: the tool has no subjects of its own, so its arguments are all there is to judge. Absent: `tool`. */
  readonly subjectsFrom?: 'tool' | 'arguments';
}

/** `position` counts UTF-16 units from the start of the text, so that an editor can put its cursor there. */
export interface ParseFailure {
  readonly ok: false;
  readonly error: string;
  readonly position: number;
  /** What can be read of the rule: a stored one is applied to every call of the tool (A19). */
  readonly head?: Pick<Rule, 'verb' | 'tool'>;
}
