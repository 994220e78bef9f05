import type { Subject } from '@countersign/protocol';
import type { EffectPaths } from '../ports/tools/tool.js';

export type Verb = 'allow' | 'ask' | 'deny';

/** Literal text, or a star. Two stars are always a whole path segment; the parser rejects anything else. */
export type Piece = { readonly text: string } | { readonly stars: 1 | 2 };

/** One word of a pattern; an empty list is the empty word. Texts are never empty and never adjacent. */
export type PatternWord = readonly Piece[];

/** What terminates a pattern: a closing parenthesis, or the end of the text. */
export type PatternEnd = 'parenthesis' | 'end';

export type Comparison = '<' | '<=' | '>' | '>=';

/** A condition on one argument. A name with dots is a path into nested arguments. */
export type Condition =
  | { readonly kind: 'equal'; readonly name: string; readonly value: PatternWord }
  | { readonly kind: 'compare'; readonly name: string; readonly operator: Comparison; readonly number: number };

/** `to=bob, amount > 100`: all conditions must be met, in any order. */
export interface Named {
  readonly conditions: readonly Condition[];
  /** The rule ends with `*`: an allow rule also covers calls with other arguments. */
  readonly open: boolean;
  /** Conditions that are separated by spaces may also be the words of a command. */
  readonly separator: 'comma' | 'blank';
  /** A value contains an unquoted comma without a space after it, so the comma may have been meant as a separator. */
  readonly joined: boolean;
}

/** Who must sign a call (SIGN1): `by 2 of @finance not requester`. */
export interface SigningClause {
  /** How many different people must sign. */
  readonly count: number;
  /** The group, or else the person, that signers belong to, without the `@`. Default: anyone who may sign calls in the world. */
  readonly of?: string;
  /** The person whose message started the turn can't sign. */
  readonly notRequester?: true;
  /** The id of an agent that reviews the call (SIGN3), without the `@`. A person who may sign can decide instead. */
  readonly agent?: string;
  /** Only signatures with a trusted passkey count. */
  readonly passkey?: true;
}

/** An ask rule that says who must sign. */
export interface SigningRule {
  readonly rule: string;
  readonly by: SigningClause;
}

/** What a call may do to the working folder (allow), or what the rule is about (deny and ask). An empty list stands for nothing. */
export interface EffectClause {
  /** Paths that are added or changed. */
  readonly writing: readonly PatternWord[];
  /** Allow: paths that exist and are changed. Deny and ask: paths that are added, changed or removed. */
  readonly changing: readonly PatternWord[];
  readonly removing: readonly PatternWord[];
  /** Only for runs: branches and tags that are created or moved. */
  readonly moving: readonly PatternWord[];
}

/** One line of a policy. Without `words` and `named`, it applies to any arguments; with both, it is ambiguous. */
export interface Rule {
  readonly verb: Verb;
  readonly tool: string;
  readonly words?: readonly PatternWord[];
  readonly named?: Named;
  /** The words start with `name=value`, so the author probably meant conditions. */
  readonly looksNamed?: true;
  /** Set if the rule is judged on the rehearsed effect of a call (RULE10). */
  readonly effect?: EffectClause;
  /** Only for ask rules. */
  readonly by?: SigningClause;
  /** When the rule ends, in milliseconds. Only for allow rules. */
  readonly ends?: number;
}

/** The folders that `./` and `~/` refer to. */
export interface CallFolders {
  /** The world's folder. */
  readonly workingDirectory: string;
  readonly home: string;
  /** The folder of an external program, if it works in another one. In deny and ask rules, `./` refers to both. */
  readonly programDirectory?: string;
}

/** What a policy judges: a tool name, arguments and subjects. */
export interface PolicyCall {
  readonly tool: string;
  readonly subjects: readonly Subject[];
  readonly place: CallFolders;
  /** The real path of the folder that the call runs in, or `unknown`. If absent, the world's. */
  readonly folder?: string;
  /** If absent, no rule about a named argument applies. */
  readonly arguments?: { readonly ok: boolean; readonly value?: unknown };
  /** `arguments`: the tool reports no subjects, so rules see only its arguments. Default: `tool`. */
  readonly subjectsFrom?: 'tool' | 'arguments';
  /** The rehearsed effect. Absent if it is unknown: rules about effects then allow nothing, and deny and ask rules require approval. */
  readonly effect?: EffectPaths;
  /** The call of a built-in tool that this one stands for. Deny and ask rules about it apply too; allow rules don't (EXT1). */
  readonly standsFor?: Omit<PolicyCall, 'standsFor'>;
  /** Set if only allow rules about effects may cover the call (RUN18). */
  readonly onlyByEffect?: true;
}

/** `position` is a UTF-16 offset into the text, so that an editor can place its cursor there. */
export interface ParseFailure {
  readonly ok: false;
  readonly error: string;
  readonly position: number;
  /** The verb and tool, if they could be parsed: a stored rule then applies to every call to the tool (RULE1). */
  readonly head?: Pick<Rule, 'verb' | 'tool'>;
}
