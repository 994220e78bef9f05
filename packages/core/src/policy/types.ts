import type { Subject } from '@countersign/protocol';

export type Verb = 'allow' | 'ask' | 'deny';

/** Literal text, or a star. Two stars only ever make up a whole path segment; the parser refuses anything else. */
export type Piece = { readonly text: string } | { readonly stars: 1 | 2 };

/** One word of a pattern. No pieces: the empty word. Never two texts in a row, never an empty text. */
export type PatternWord = readonly Piece[];

/** One line of a policy. `words` absent: any arguments. */
export interface Rule {
  readonly verb: Verb;
  readonly tool: string;
  readonly words?: readonly PatternWord[];
}

/** What `./` and `~/` in a pattern stand for. */
export interface Place {
  readonly workingDirectory: string;
  readonly home: string;
}

/** What a policy judges: a tool's name and what the call touches. */
export interface PolicyCall {
  readonly tool: string;
  readonly subjects: readonly Subject[];
  readonly place: Place;
}

/** `position` counts UTF-16 units from the start of the text, so that an editor can put its cursor there. */
export interface ParseFailure {
  readonly ok: false;
  readonly error: string;
  readonly position: number;
}
