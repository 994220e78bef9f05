import { isScalar, Lexer, parseDocument, visit, type Document } from 'yaml';
import { HttpProblem } from './http-problem.js';
import { problemTexts } from './problem-texts.js';

/** Enough for a world with a thousand agents and their prompts. */
const MAX_LENGTH = 1024 * 1024;
/** Parsing time grows with the number of tokens. A prompt of several pages is one token. */
const MAX_TOKENS = 150_000;

/** Parses plain values only: nested aliases can expand exponentially (billion laughs), and tags can construct objects. */
export function parseYaml(text: string): unknown {
  if (text.length > MAX_LENGTH) throw new HttpProblem(413, problemTexts.longYaml(MAX_LENGTH));
  if (text.trim() === '') throw new HttpProblem(400, problemTexts.emptyYaml);
  rejectTooManyTokens(text);
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

function rejectTooManyTokens(text: string): void {
  let count = 0;
  for (const _ of new Lexer().lex(text)) {
    count += 1;
    if (count > MAX_TOKENS) throw new HttpProblem(413, problemTexts.complexYaml);
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
