import type { AnswerForProgram, AskingTool } from '@countersign/core/ports';
import { readFormAnswer, type FormField, type Question } from '@countersign/protocol';
import { z } from 'zod';
import { readAnswer } from '../mcp/call/elicit.js';

const questionSchema = z.object({
  question: z.string().min(1).max(4_000),
  type: z.string().max(20).exactOptional(),
  options: z
    .array(z.object({ label: z.string().min(1).max(1_000), description: z.string().max(4_000).exactOptional() }))
    .max(50)
    .exactOptional(),
  multiSelect: z.boolean().exactOptional(),
});
type Asked = z.infer<typeof questionSchema>;
const askedSchema = z.object({ questions: z.array(questionSchema).min(1).max(10) });
/** Claude Code adds the text of its plan's file. */
const planSchema = z.object({ plan: z.string().default('') });

const LEAD = 'It asks:';
const ANSWERED = 'A person has answered in Countersign, so this call did not need to run.';
const APPROVE = 'Approve the plan';
const SEND_BACK = 'Send it back with comments';
/** A longer one isn't shown as a whole, so nobody can approve it here. Cards cut texts at 16 kB, and a character can have three bytes. */
const LONGEST_PLAN = { characters: 10_000, bytes: 16_000 } as const;
const LONGEST_TEXT = 4_000;
/** On one line in the web app, beside the choices. */
const LONGEST_OTHER = 900;

/** The tools of gated agents that ask a person something, by the names that Claude Code 2.1.326 and Gemini CLI 0.61.0 use. */
export const ASKING_TOOLS: ReadonlyMap<string, AskingTool> = new Map([
  ['AskUserQuestion', askingWith(wordsForClaude)],
  ['ask_user', askingWith(wordsForGemini)],
  ['ExitPlanMode', { question: planQuestion, answer: answerPlan }],
]);

/** With the gate's settings, Claude Code asks in its terminal even if a hook passes answers on, and Gemini CLI takes none: so the model gets them as text. */
function askingWith(words: (answers: readonly (readonly [Asked, string])[]) => string): AskingTool {
  return {
    question(args) {
      const questions = readQuestions(args);
      const fields = questions.flatMap(fieldsOf);
      const [only] = questions;
      const choices = questions.length === 1 ? (only?.options ?? []).map(({ label }) => label) : [];
      const text = [LEAD, ...questions.map((each, at) => describe(each, at))].join('\n');
      return { text, choices, form: { lead: LEAD, fields } };
    },
    answer(args, text) {
      const questions = readQuestions(args);
      const fields = questions.flatMap(fieldsOf);
      if (isWrongForm(fields, text)) return invalid('send only values of its fields and choices');
      const content: Readonly<Record<string, unknown>> =
        readAnswer(fields, text) ?? (questions.length === 1 ? { q1_other: text } : {});
      const answers = questions.map((each, at): readonly [Asked, string] => {
        const given = [content[`q${at + 1}`], content[`q${at + 1}_other`]].flat();
        const chosen = given.filter((value) => typeof value === 'string');
        return [each, chosen.join(', ').trim()];
      });
      const missing = answers.findIndex(([, answer]) => answer === '');
      if (missing >= 0) return { kind: 'invalid', why: `answer question ${missing + 1}, as in "q${missing + 1}: yes"` };
      return { kind: 'answered', text: `${ANSWERED} ${words(answers)}` };
    },
  };
}

function readQuestions(args: unknown): readonly Asked[] {
  const read = askedSchema.safeParse(args);
  if (read.success) return read.data.questions;
  throw new Error('it needs 1 to 10 questions with a text, and at most 50 choices each');
}

function fieldsOf(asked: Asked, at: number): FormField[] {
  const { question: label, multiSelect } = asked;
  const name = `q${at + 1}`;
  const choices = choicesOf(asked);
  if (choices.length === 0)
    return [{ name: `${name}_other`, label, kind: 'text', isRequired: true, most: LONGEST_TEXT }];
  const kind = multiSelect === true ? 'choices' : 'choice';
  return [
    { name, label, kind, isRequired: false, choices },
    { name: `${name}_other`, label: 'Another answer', kind: 'text', isRequired: false, most: LONGEST_OTHER },
  ];
}

function choicesOf({ type, options = [] }: Asked): { value: string; label: string }[] {
  if (type === 'text') return [];
  const given = options.length === 0 && type === 'yesno' ? [{ label: 'Yes' }, { label: 'No' }] : options;
  return given.map(({ label, ...more }) => {
    const said = 'description' in more && more.description !== undefined ? more.description.trim() : '';
    return { value: label, label: said === '' ? label : `${label}: ${said}` };
  });
}

/** For screens without forms. */
function describe(asked: Asked, at: number): string {
  const choices = choicesOf(asked).map(({ label }) => `  - ${label}`);
  return [`q${at + 1}. ${asked.question}`, ...choices].join('\n');
}

function wordsForClaude(answers: readonly (readonly [Asked, string])[]): string {
  const said = answers.map(([{ question }, answer]) => `${JSON.stringify(question)}=${JSON.stringify(answer)}`);
  return `Your questions have been answered: ${said.join(', ')}. You can now continue with these answers in mind.`;
}

function wordsForGemini(answers: readonly (readonly [Asked, string])[]): string {
  return JSON.stringify({ answers: Object.fromEntries(answers.map(([, answer], at) => [String(at), answer])) });
}

const DECISION: FormField = {
  name: 'decision',
  label: 'Decision',
  kind: 'choice',
  isRequired: true,
  choices: [APPROVE, SEND_BACK].map((value) => ({ value, label: value })),
};
const COMMENTS: FormField = {
  name: 'comments',
  label: 'Comments on the whole plan',
  hint: 'The agent gets them if you send the plan back.',
  kind: 'text',
  isRequired: false,
  most: LONGEST_TEXT,
};

function planQuestion(args: unknown): Question {
  const { plan } = planSchema.parse(args);
  if (isLong(plan)) {
    const text = `Its plan has ${plan.length} characters, too many to be shown and approved here. It begins:\n\n${plan.slice(0, LONGEST_PLAN.characters)}`;
    return { text, choices: [], form: { lead: text, fields: [{ ...COMMENTS, isRequired: true }] } };
  }
  const paragraphs = paragraphsOf(plan);
  const lead = paragraphs.length === 0 ? 'It has finished its plan, and sent no text of it.' : 'Its plan:';
  const numbered = paragraphs.map((text, at) => `p${at + 1}. ${text}`);
  const fields = [...paragraphs.map(commentOn), DECISION, COMMENTS];
  return { text: [lead, ...numbered].join('\n\n'), choices: [APPROVE], form: { lead, fields }, approves: true };
}

/** More fields than anyone comments on. The last one is about the rest of the plan. */
const MOST_PARAGRAPHS = 40;

function paragraphsOf(plan: string): string[] {
  const all = plan.split(/\n\s*\n/).filter((text) => text.trim() !== '');
  const rest = all.slice(MOST_PARAGRAPHS - 1).join('\n\n');
  return rest === '' ? all : [...all.slice(0, MOST_PARAGRAPHS - 1), rest];
}

function commentOn(quote: string, at: number): FormField {
  const label = `Comment on paragraph ${at + 1}`;
  return { name: `p${at + 1}`, label, quote, kind: 'text', isRequired: false, most: LONGEST_OTHER };
}

function isLong(plan: string): boolean {
  return plan.length > LONGEST_PLAN.characters || Buffer.byteLength(plan) > LONGEST_PLAN.bytes;
}

function answerPlan(args: unknown, text: string): AnswerForProgram {
  const { plan } = planSchema.parse(args);
  const mayApprove = !isLong(plan);
  const paragraphs = mayApprove ? paragraphsOf(plan).map(commentOn) : [];
  // Comments alone send it back.
  const fields = [...paragraphs, ...(mayApprove ? [{ ...DECISION, isRequired: false }] : []), COMMENTS];
  if (isWrongForm(fields, text)) return invalid('send only values of its fields and choices');
  const form = readFormAnswer(fields, text);
  const said = text.trim();
  const isApproval = mayApprove && said.toLowerCase() === APPROVE.toLowerCase();
  const content: Readonly<Record<string, unknown>> =
    typeof form === 'object'
      ? form
      : isApproval
        ? { decision: APPROVE }
        : (readComments(fields, said) ?? { comments: said });
  const comments = [...paragraphs, COMMENTS].flatMap(({ name, quote }) => {
    const given = content[name];
    if (typeof given !== 'string' || given.trim() === '') return [];
    return quote === undefined ? [given.trim()] : [`About “${beginningOf(quote)}”: ${given.trim()}`];
  });
  if (content['decision'] !== APPROVE)
    return comments.length === 0
      ? invalid('to send the plan back, write comments')
      : { kind: 'send-back', comments: comments.join('\n\n') };
  return comments.length === 0
    ? { kind: 'run' }
    : invalid('send the plan back with your comments, or approve it without');
}

/** Of a paragraph, for the agent. */
const QUOTED = 120;

function beginningOf(paragraph: string): string {
  const line = paragraph.replaceAll(/\s+/g, ' ').trim();
  return line.length > QUOTED ? `${line.slice(0, QUOTED)}…` : line;
}

/** Undefined unless each line is about a field, such as `p2: Add tests`: nothing that was said gets lost. */
function readComments(fields: readonly FormField[], said: string): Readonly<Record<string, unknown>> | undefined {
  const names = new Set(fields.map(({ name }) => name));
  const areAll = said.split('\n').every((line) => names.has(/^(\w+):/.exec(line)?.[1] ?? ''));
  return areAll ? readAnswer(fields, said) : undefined;
}

/** A form that can't be read isn't taken for words. */
function isWrongForm(fields: readonly FormField[], text: string): boolean {
  const form = readFormAnswer(fields, text);
  return form === 'invalid' || (form === 'not-a-form' && text.trim().startsWith('{'));
}

function invalid(why: string): AnswerForProgram {
  return { kind: 'invalid', why };
}
