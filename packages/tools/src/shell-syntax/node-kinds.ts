import type { Cause } from '@countersign/protocol';
import type { SyntaxNode } from 'unbash';

/** Why no rule can allow a call. `told`: everything that the call runs and names is known anyway. */
export interface Reason {
  readonly why: Cause;
  readonly told: boolean;
}

/**
 * Node kinds that don't change the commands inside them. Commands with any other kind need approval, including kinds that later parsers add.
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
  // Checked where they occur; see read-command-text.
  'Command',
  'Redirected',
  'Redirect',
  'FileDescriptor',
  'Assignment',
  'Word',
  'Literal',
  'SingleQuoted',
  'DoubleQuoted',
  // Parts of nodes that already have a reason.
  'HereDocDelimiter',
  'HereDocBody',
  'CaseItem',
]);

const expansion: Reason = { why: { code: 'expansion' }, told: false };
const substitution: Reason = { why: { code: 'command-substitution' }, told: false };
const glob: Reason = { why: { code: 'glob' }, told: false };
const loop: Reason = { why: { code: 'control-flow' }, told: true };

const REASONS: Readonly<Partial<Record<SyntaxNode['type'], Reason>>> = {
  SimpleExpansion: expansion,
  ParameterExpansion: expansion,
  ArithmeticExpansion: expansion,
  CommandExpansion: substitution,
  ProcessSubstitution: substitution,
  Glob: glob,
  ExtendedGlob: glob,
  BraceExpansion: { why: { code: 'braces' }, told: false },
  AnsiCQuoted: { why: { code: 'escapes' }, told: true },
  LocaleString: { why: { code: 'translation' }, told: false },
  For: loop,
  While: loop,
  Case: loop,
  Select: loop,
  ArithmeticFor: { why: { code: 'arithmetic' }, told: false },
  ArithmeticCommand: { why: { code: 'arithmetic' }, told: false },
  TestCommand: { why: { code: 'test' }, told: false },
  Function: { why: { code: 'function' }, told: true },
  Coproc: { why: { code: 'background' }, told: true },
  Time: { why: { code: 'runs-program', program: 'time' }, told: true },
  HereDoc: { why: { code: 'here-document' }, told: true },
  HereString: { why: { code: 'here-document' }, told: true },
};

export function reasonFor(node: SyntaxNode): Reason | undefined {
  if (PLAIN.has(node.type)) return undefined;
  return REASONS[node.type] ?? { why: { code: 'unknown-syntax' }, told: false };
}
