import { forEachChild, type ParsedScript, type SyntaxNode } from 'unbash';

/** Text that may appear between the words of commands if the tree contains only plain node kinds. */
const BETWEEN = /^(?:[ \t\n;|&(){}!]|\b(?:if|then|elif|else|fi)\b)*$/;
const COMMENT = /(^|[ \t\n;|&()])#[^\n]*/g;

/**
 * Whether the text contains anything besides the words, redirections and operators in the tree. Text that the parser
 * skips would otherwise run without approval.
 */
export function hasUnaccountedText(text: string, script: ParsedScript): boolean {
  const covered: [from: number, to: number][] = [];
  collect(script, covered);
  let rest = '';
  let at = 0;
  for (const [from, to] of covered.sort(([a], [b]) => a - b)) {
    if (from < at) return true;
    // Insert a separator, so that separate words stay separate.
    rest += `${text.slice(at, from)}\u0001`;
    at = to;
  }
  rest += text.slice(at);
  return !BETWEEN.test(rest.replaceAll(COMMENT, '$1').replaceAll('\u0001', ' '));
}

function collect(node: SyntaxNode, covered: [from: number, to: number][]): void {
  if (node.type === 'Word' || node.type === 'Redirect') covered.push([node.pos, node.end]);
  else forEachChild(node, (child) => collect(child, covered));
}
