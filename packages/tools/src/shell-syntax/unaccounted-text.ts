import { forEachChild, type ParsedScript, type SyntaxNode } from 'unbash';

/** What may stand between the words of commands where only plain kinds of nodes are in the tree. */
const BETWEEN = /^(?:[ \t\n;|&(){}!]|\b(?:if|then|elif|else|fi)\b)*$/;
const COMMENT = /(^|[ \t\n;|&()])#[^\n]*/g;

/**
 * Whether the text holds anything beside the words and redirections in the tree and the signs between them. A parser that passes
 * something over would let it run unasked.
 */
export function hasUnaccountedText(text: string, script: ParsedScript): boolean {
  const covered: [from: number, to: number][] = [];
  collect(script, covered);
  let rest = '';
  let at = 0;
  for (const [from, to] of covered.sort(([a], [b]) => a - b)) {
    if (from < at) return true;
    // A space, so that what was apart stays apart.
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
