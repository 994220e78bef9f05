import type { SyntaxNode } from 'unbash';

/** Why a call can't be allowed by a rule. `told`: all that it runs and names is known all the same. */
export interface Reason {
  readonly why: string;
  readonly told: boolean;
}

/**
 * Kinds of nodes that leave every command in them what it looks like. Any other kind, also one that a later parser brings,
 * is asked.
 */
const PLAIN: ReadonlySet<SyntaxNode['type']> = new Set<SyntaxNode['type']>([
  'Script',
  'Statement',
  'CompoundList',
  'AndOr',
  'Pipeline',
  'Negation',
  'Subshell',
  'BraceGroup',
  'If',
  'Elif',
  // Looked at where they stand: see read-command.
  'Command',
  'Redirected',
  'Redirect',
  'FileDescriptor',
  'Assignment',
  'Word',
  'Literal',
  'SingleQuoted',
  'DoubleQuoted',
  // Parts of what has its reason already.
  'HereDocDelimiter',
  'HereDocBody',
  'CaseItem',
]);

const expansion: Reason = { why: 'a value is filled in when it runs', told: false };
const substitution: Reason = { why: 'the output of a command is filled in when it runs', told: false };
const glob: Reason = { why: 'names of files are filled in when it runs', told: false };
const loop: Reason = { why: 'it repeats or chooses commands', told: true };

const REASONS: Readonly<Partial<Record<SyntaxNode['type'], Reason>>> = {
  SimpleExpansion: expansion,
  ParameterExpansion: expansion,
  ArithmeticExpansion: expansion,
  CommandExpansion: substitution,
  ProcessSubstitution: substitution,
  Glob: glob,
  ExtendedGlob: glob,
  BraceExpansion: { why: 'braces are expanded when it runs', told: false },
  AnsiCQuoted: { why: 'a word is written in escapes', told: true },
  LocaleString: { why: 'a word is translated when it runs', told: false },
  For: loop,
  While: loop,
  Case: loop,
  Select: loop,
  ArithmeticFor: { why: 'it calculates', told: false },
  ArithmeticCommand: { why: 'it calculates', told: false },
  TestCommand: { why: 'it tests values', told: false },
  Function: { why: 'it gives a new meaning to a name', told: true },
  Coproc: { why: 'it runs something in the background', told: true },
  Time: { why: '"time" runs something else', told: true },
  HereDoc: { why: 'a command gets text as its input', told: true },
  HereString: { why: 'a command gets text as its input', told: true },
};

export function reasonFor(node: SyntaxNode): Reason | undefined {
  if (PLAIN.has(node.type)) return undefined;
  return REASONS[node.type] ?? { why: 'it has a part that is not known to be harmless', told: false };
}
