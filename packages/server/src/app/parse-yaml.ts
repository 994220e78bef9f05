import { isScalar, Lexer, parseDocument, visit, type Document } from 'yaml';
import { HttpProblem } from './http-problem.js';
import { problemTexts } from './problem-texts.js';

/** Enough for a world with a thousand agents and their prompts. */
const MAX_LENGTH = 1024 * 1024;
/** Parsing time grows with the number of tokens. A prompt of several pages is one token. */
const MAX_TOKENS = 150_000;

/** The parser calls itself for each level, and a thousand overflow the stack. */
const MAX_DEPTH = 250;

/** Parses plain values only: nested aliases can expand exponentially (billion laughs), and tags can construct objects. */
export function parseYaml(text: string): unknown {
  if (text.length > MAX_LENGTH) throw new HttpProblem(413, problemTexts.longYaml(MAX_LENGTH));
  if (text.trim() === '') throw new HttpProblem(400, problemTexts.emptyYaml);
  rejectTooComplex(text);
  try {
    // The parser's own checks are quadratic: it compares all keys, and recounts the lines for each error.
    const document = parseDocument(text, { schema: 'core', merge: false, uniqueKeys: false, prettyErrors: false });
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw new Error(`line ${lineOf(text, problem.pos[0])}: ${problem.message}`);
    rejectDuplicateKeys(document, text);
    return document.toJS({ maxAliasCount: 0 }) as unknown;
  } catch (cause) {
    throw new HttpProblem(400, problemTexts.notYaml(messageOf(cause)), { cause });
  }
}

/** Precedes the text of a scalar. */
const SCALAR = '\u001F';

/** Counts tokens and levels in one pass. */
function rejectTooComplex(text: string): void {
  let count = 0;
  let brackets = 0;
  /** `- - - x` opens a level with each dash. */
  let indicators = 0;
  /** The indentation of the lines around this one. */
  const indents: number[] = [];
  let previous = '\n';
  for (const token of new Lexer().lex(text)) {
    count += 1;
    if (count > MAX_TOKENS) throw new HttpProblem(413, problemTexts.complexYaml);
    if (previous === '\n' || previous === '\r\n') {
      const indent = token.startsWith(' ') ? token.length : 0;
      while ((indents.at(-1) ?? -1) >= indent) indents.pop();
      indents.push(indent);
    }
    if (previous !== SCALAR) {
      if (token === '[' || token === '{') brackets += 1;
      else if (token === ']' || token === '}') brackets = Math.max(0, brackets - 1);
      else if (brackets === 0 && (token === '-' || token === '?' || token === ':')) indicators += 1;
      else if (token === '\n' || token === '\r\n') indicators = 0;
    }
    if (indents.length + indicators + brackets > MAX_DEPTH)
      throw new HttpProblem(400, problemTexts.notYaml(problemTexts.deepYaml));
    previous = token;
  }
}

/** Rejects duplicate keys, which would silently drop one of the values. */
function rejectDuplicateKeys(document: Document, text: string): void {
  visit(document, {
    Map(_, map) {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        const name: unknown = isScalar(key) ? key.value : key;
        const at = isScalar(key) ? (key.range?.[0] ?? 0) : 0;
        if (seen.has(name)) throw new Error(`line ${lineOf(text, at)}: duplicate key ${String(name)}`);
        seen.add(name);
      }
    },
  });
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? (cause.message.split('\n')[0] ?? '').slice(0, 200) : 'unknown';
}
