import { NoAnswer, type ToolContext } from '@countersign/core/ports';
import { fieldProblem, readField, readFormAnswer, type FormField, type Question } from '@countersign/protocol';
import { choicesOf, elicitationForm } from './elicitation-form.js';
import type { ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/client';

const DECLINE = 'Decline';
const ACCEPT = 'Accept';

type Field = Record<string, unknown>;
type Content = NonNullable<ElicitResult['content']>;

/**
 * Shows people a question that a server asks during a call, in the approval queue (CALL3). The answer is a completed form, or text with a line per
 * field in which omitted fields get the server's defaults. An answer that is invalid either way declines the question; nothing is guessed.
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
    const content = form === undefined ? contentOf(fields, required, answer) : readAnswer(form.fields, answer);
    return content === undefined ? { action: 'decline' } : { action: 'accept', content };
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return { action: error.how === 'declined' ? 'decline' : 'cancel' };
  }
}

/** Of a completed form, or of text with a line per field. Undefined if it can't be parsed, or breaks a limit. */
export function readAnswer(fields: readonly FormField[], answer: string): Content | undefined {
  const filled = readFormAnswer(fields, answer);
  if (filled === 'invalid') return undefined;
  return filled === 'not-a-form' ? formContent(fields, answer) : filled;
}

function leadOf(server: string, message: string): string {
  return `The MCP server "${server}" asks: ${message}`;
}

function questionOf(server: string, message: string, fields: readonly [string, Field][]): Question {
  const lines = [leadOf(server, message)];
  const [only] = fields;
  if (fields.length === 1 && only !== undefined) {
    const choices = valuesOf(only[1]);
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
  const kind = valuesOf(field).join(' | ') || (typeof field['type'] === 'string' ? field['type'] : 'text');
  const given = field['default'] === undefined ? '' : `, default ${JSON.stringify(field['default'])}`;
  return `- ${name} (${kind}${given})${text === '' ? '' : `: ${text}`}`;
}

function valuesOf(field: Field): string[] {
  if (field['type'] === 'boolean') return ['yes', 'no'];
  return (choicesOf(field) ?? []).map(({ value }) => value);
}

/** Undefined if the answer can't be parsed into the fields of the form, or breaks one of their limits. */
function formContent(fields: readonly FormField[], answer: string): Content | undefined {
  const words = wordsOf(fields, answer);
  if (words === undefined) return undefined;
  const content: Content = {};
  for (const field of fields) {
    const value = readField(field, words.get(field.name) ?? '') ?? field.default;
    if (fieldProblem(field, value) !== undefined) return undefined;
    if (value !== undefined) content[field.name] = value;
  }
  return content;
}

/** Like `formContent`, for a question without a form. */
function contentOf(
  fields: readonly [string, Field][],
  required: readonly string[],
  answer: string,
): Content | undefined {
  const named = fields.map(([name, field]) => ({ name, default: field['default'] }));
  const words = wordsOf(named, answer);
  if (words === undefined) return undefined;
  const content: Content = {};
  for (const [name, field] of fields) {
    const said = words.get(name);
    const value = said === undefined ? field['default'] : readValue(field, said);
    if (value === undefined && (said !== undefined || required.includes(name))) return undefined;
    if (value !== undefined) content[name] = value as Content[string];
  }
  return content;
}

/** The text for each field that the answer names. Undefined if it names none of them and isn't "Accept". */
function wordsOf(
  fields: readonly { name: string; default?: unknown }[],
  answer: string,
): ReadonlyMap<string, string> | undefined {
  const lines = readLines(answer);
  if (fields.some(({ name }) => lines.has(name))) return lines;
  const [only] = fields;
  const isOnly = only !== undefined && fields.length === 1;
  if (isOnly && (answer !== ACCEPT || only.default === undefined)) return new Map([[only.name, answer]]);
  return answer === ACCEPT ? new Map() : undefined;
}

function readLines(answer: string): Map<string, string> {
  const pairs = answer.split('\n').map((line) => /^\s*-?\s*([^:=]+?)\s*[:=]\s*(.*)$/.exec(line));
  return new Map(pairs.flatMap((pair) => (pair?.[1] === undefined ? [] : [[pair[1], (pair[2] ?? '').trim()]])));
}

function readValue(field: Field, words: string): unknown {
  const values = valuesOf(field);
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
      return values.length > 0 && !values.includes(words) ? undefined : words;
  }
}
