import { NoAnswer, type ToolContext } from '@countersign/core/ports';
import { readFormAnswer, type Question } from '@countersign/protocol';
import { elicitationForm } from './elicitation-form.js';
import type { ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/client';

const DECLINE = 'Decline';
const ACCEPT = 'Accept';

type Field = Record<string, unknown>;
type Content = NonNullable<ElicitResult['content']>;

/**
 * Shows people a question that a server asks during a call, in the approval queue (A3). Parses the answer into the requested fields; omitted fields
 * get the server's defaults. If an answer can't be parsed, the question is declined; nothing is guessed.
 */
export async function elicit(
  server: string,
  params: ElicitRequestFormParams,
  ask: NonNullable<ToolContext['ask']>,
): Promise<ElicitResult> {
  const fields = Object.entries(params.requestedSchema.properties) as [string, Field][];
  const required = params.requestedSchema.required ?? [];
  const form = elicitationForm(leadOf(server, params.message), fields, required);
  try {
    const question = questionOf(server, params.message, fields);
    const answer = (await ask(form === undefined ? question : { ...question, form })).trim();
    if (answer.toLowerCase() === DECLINE.toLowerCase()) return { action: 'decline' };
    const filled = form === undefined ? 'not-a-form' : readFormAnswer(form.fields, answer);
    if (filled === 'invalid') return { action: 'decline' };
    const content = filled === 'not-a-form' ? contentOf(fields, required, answer) : filled;
    return content === undefined ? { action: 'decline' } : { action: 'accept', content };
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return { action: error.how === 'declined' ? 'decline' : 'cancel' };
  }
}

function leadOf(server: string, message: string): string {
  return `The MCP server "${server}" asks: ${message}`;
}

function questionOf(server: string, message: string, fields: readonly [string, Field][]): Question {
  const lines = [leadOf(server, message)];
  const [only] = fields;
  if (fields.length === 1 && only !== undefined) {
    const choices = choicesOf(only[1]);
    lines.push(describeField(...only));
    return { text: lines.join('\n'), choices: choices.length === 0 ? [] : [...choices, DECLINE] };
  }
  if (fields.length === 0) return { text: lines.join('\n'), choices: [ACCEPT, DECLINE] };
  lines.push(
    ...fields.map((field) => describeField(...field)),
    `Answer with one "name: value" per line, or "${ACCEPT}" to send the defaults.`,
  );
  return { text: lines.join('\n'), choices: [ACCEPT, DECLINE] };
}

function describeField(name: string, field: Field): string {
  const text = [field['title'], field['description']].filter((part) => typeof part === 'string').join(': ');
  const kind = choicesOf(field).join(' | ') || (typeof field['type'] === 'string' ? field['type'] : 'text');
  const given = field['default'] === undefined ? '' : `, default ${JSON.stringify(field['default'])}`;
  return `- ${name} (${kind}${given})${text === '' ? '' : `: ${text}`}`;
}

function choicesOf(field: Field): string[] {
  if (field['type'] === 'boolean') return ['yes', 'no'];
  const listed = field['enum'] ?? field['oneOf'];
  if (!Array.isArray(listed)) return [];
  return listed.map((choice: unknown) =>
    typeof choice === 'object' && choice !== null ? String(Reflect.get(choice, 'const')) : String(choice),
  );
}

/** Undefined if the answer can't be parsed into the requested fields. */
function contentOf(
  fields: readonly [string, Field][],
  required: readonly string[],
  answer: string,
): Content | undefined {
  const [only] = fields;
  const lines = readLines(answer);
  const content: Content = {};
  for (const [name, field] of fields) {
    const single = fields.length === 1 && only !== undefined && !lines.has(name);
    const words = single ? (answer === ACCEPT && field['default'] !== undefined ? undefined : answer) : lines.get(name);
    const value = words === undefined ? field['default'] : readValue(field, words);
    if (value === undefined && (words !== undefined || required.includes(name))) return undefined;
    if (value !== undefined) content[name] = value as Content[string];
  }
  // An answer that names none of the fields can't be parsed into them.
  const named = fields.some(([name]) => lines.has(name));
  return fields.length > 1 && answer !== ACCEPT && !named ? undefined : content;
}

function readLines(answer: string): Map<string, string> {
  const pairs = answer.split('\n').map((line) => /^\s*-?\s*([^:=]+?)\s*[:=]\s*(.*)$/.exec(line));
  return new Map(pairs.flatMap((pair) => (pair?.[1] === undefined ? [] : [[pair[1], (pair[2] ?? '').trim()]])));
}

function readValue(field: Field, words: string): unknown {
  const choices = choicesOf(field);
  switch (field['type']) {
    case 'boolean': {
      const said = words.toLowerCase();
      if (['yes', 'true', 'y'].includes(said)) return true;
      return ['no', 'false', 'n'].includes(said) ? false : undefined;
    }
    case 'number':
    case 'integer': {
      const number = words === '' ? Number.NaN : Number(words);
      if (!Number.isFinite(number) || (field['type'] === 'integer' && !Number.isInteger(number))) return undefined;
      return number;
    }
    case 'array':
      return words.split(',').map((part) => part.trim());
    default:
      return choices.length > 0 && !choices.includes(words) ? undefined : words;
  }
}
