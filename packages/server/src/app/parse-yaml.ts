import { isScalar, Lexer, parseDocument, visit, type Document } from 'yaml';
import { HttpProblem } from './http-problem.js';
import { problemTexts } from './problem-texts.js';

/** A world of a thousand agents with their prompts fits. */
const LARGEST = 1024 * 1024;
/** What the parser takes its time for. A prompt of pages is one. */
const MOST_TOKENS = 150_000;

/** Plain values and nothing else: an alias can name itself a billion times over, and a tag makes something of what it names. */
export function parseYaml(text: string): unknown {
  if (text.length > LARGEST) throw new HttpProblem(413, problemTexts.longYaml(LARGEST));
  if (text.trim() === '') throw new HttpProblem(400, problemTexts.emptyYaml);
  refuseTooMany(text);
  try {
    // The parser would look for a second key by comparing each with all, and find the line of each error by counting anew.
    const document = parseDocument(text, { schema: 'core', merge: false, uniqueKeys: false, prettyErrors: false });
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw new Error(`line ${lineOf(text, problem.pos[0])}: ${problem.message}`);
    refuseTwice(document, text);
    return document.toJS({ maxAliasCount: 0 }) as unknown;
  } catch (cause) {
    throw new HttpProblem(400, problemTexts.notYaml(words(cause)), { cause });
  }
}

function refuseTooMany(text: string): void {
  let count = 0;
  for (const _ of new Lexer().lex(text)) {
    count += 1;
    if (count > MOST_TOKENS) throw new HttpProblem(413, problemTexts.complexYaml);
  }
}

/** Of two values under one key one would be dropped, and nobody could tell which. */
function refuseTwice(document: Document, text: string): void {
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

function words(cause: unknown): string {
  return cause instanceof Error ? (cause.message.split('\n')[0] ?? '').slice(0, 200) : 'unknown';
}
