import { parseDocument } from 'yaml';
import { HttpProblem } from './http-problem.js';

/** A world of a thousand agents fits; what takes a parser minutes does not. */
const LARGEST = 1024 * 1024;

/** Plain values and nothing else: an alias can name itself a billion times over, and a tag makes something of what it names. */
export function parse(text: string): unknown {
  if (text.length > LARGEST) throw new HttpProblem(413, `A file has at most ${LARGEST} characters.`);
  if (text.trim() === '') throw new HttpProblem(400, 'The body is empty: send a YAML file.');
  try {
    const document = parseDocument(text, { schema: 'core', merge: false, uniqueKeys: true, logLevel: 'error' });
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw problem;
    return document.toJS({ maxAliasCount: 0 }) as unknown;
  } catch (cause) {
    throw new HttpProblem(400, `The body is not YAML that can be read: ${words(cause)}`, { cause });
  }
}

function words(cause: unknown): string {
  return cause instanceof Error ? (cause.message.split('\n')[0] ?? '').slice(0, 200) : 'unknown';
}
