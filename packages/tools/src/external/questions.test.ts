import { expect, it } from 'vitest';
import { ASKING_TOOLS } from './questions.js';

const [claude, gemini, plan] = ['AskUserQuestion', 'ask_user', 'ExitPlanMode'].map((name) => ASKING_TOOLS.get(name));
if (claude === undefined || gemini === undefined || plan === undefined) throw new Error('unknown tools');

const colour = {
  question: 'Which colour?',
  header: 'Colour',
  options: [{ label: 'Red', description: 'as fire' }, { label: 'Blue' }],
  multiSelect: false,
};
const sizes = {
  question: 'Which sizes?',
  options: [{ label: 'S' }, { label: 'M' }, { label: 'L' }],
  multiSelect: true,
};

it('[EXT1.28] a question of a gated agent is a form with its choices, and another answer for each', () => {
  const asked = claude.question({ questions: [colour, sizes] });
  expect(asked.approves).toBeUndefined();
  expect(asked.form?.fields).toEqual([
    {
      name: 'q1',
      label: 'Which colour?',
      kind: 'choice',
      isRequired: false,
      choices: [
        { value: 'Red', label: 'Red: as fire' },
        { value: 'Blue', label: 'Blue' },
      ],
    },
    { name: 'q1_other', label: 'Another answer', kind: 'text', isRequired: false, most: 900 },
    expect.objectContaining({ name: 'q2', kind: 'choices' }),
    expect.objectContaining({ name: 'q2_other' }),
  ]);
  expect(asked.text).toContain('q2. Which sizes?\n  - S\n  - M\n  - L');
  expect(gemini.question({ questions: [{ question: 'Your name?', type: 'text' }] }).form?.fields).toMatchObject([
    { name: 'q1_other', label: 'Your name?', isRequired: true },
  ]);
  expect(gemini.question({ questions: [{ question: 'Go?', type: 'yesno' }] }).form?.fields[0]?.choices).toHaveLength(2);
  for (const args of [
    {},
    { questions: [] },
    { questions: [{ question: '' }] },
    { questions: Array.from({ length: 11 }, () => colour) },
  ])
    expect(() => claude.question(args)).toThrow('1 to 10 questions');
});

it('[EXT1.28] [EXT1.29] an answer reaches the model in the words of its agent; an incomplete one is refused', () => {
  const both = { questions: [colour, sizes] };
  expect(claude.answer(both, '{"q1":"Blue","q2":["S","L"],"q2_other":"XL \\"wide\\""}')).toEqual({
    kind: 'answered',
    text: expect.stringContaining(
      '"Which colour?"="Blue", "Which sizes?"="S, L, XL \\"wide\\"". You can now',
    ) as string,
  });
  expect(gemini.answer(both, 'q1: Red\nq2: M')).toMatchObject({
    text: expect.stringMatching(/\{"answers":\{"0":"Red","1":"M"\}\}$/) as string,
  });
  // Any text answers the only question.
  expect(claude.answer({ questions: [colour] }, 'Green')).toMatchObject({
    text: expect.stringContaining('="Green"') as string,
  });
  expect(claude.answer({ questions: [colour] }, 'Blue')).toMatchObject({
    text: expect.stringContaining('="Blue"') as string,
  });
  for (const text of ['Blue', '{}', '{"q1":"Blue"}', '{"q1":"Green","q2":["S"]}', '{"q1":"Blue","q2":["S"],"q3":"x"}'])
    expect(claude.answer(both, text)).toMatchObject({ kind: 'invalid' });
});

it('[EXT1.30] a plan is approved or sent back with comments, and one that isn’t shown as a whole can’t be approved', () => {
  const args = { plan: '# Plan\n\n1. Do it' };
  expect(plan.question(args)).toMatchObject({ text: 'Its plan:\n\np1. # Plan\n\np2. 1. Do it', approves: true });
  const answer = (text: string, given: object = args) => plan.answer(given, text);
  expect(answer('{"decision":"Approve the plan"}')).toEqual({ kind: 'run' });
  expect(answer('approve the plan')).toEqual({ kind: 'run' });
  const back = { kind: 'send-back', comments: 'Add tests' };
  expect(answer('{"decision":"Send it back with comments","comments":"Add tests"}')).toEqual(back);
  expect(answer('Add tests')).toEqual(back);
  const wrong = [
    '{"decision":"Approve the plan","comments":"but"}',
    '{"decision":"Send it back with comments"}',
    '{}',
    '',
  ];
  for (const text of wrong) expect(answer(text)).toMatchObject({ kind: 'invalid' });
  const long = { plan: 'x'.repeat(10_001) };
  expect(plan.question(long).approves).toBeUndefined();
  expect(plan.question(long).form?.fields).toMatchObject([{ name: 'comments', isRequired: true }]);
  expect(answer('{"decision":"Approve the plan"}', long)).toMatchObject({ kind: 'invalid' });
  expect(answer('approve the plan', long)).toEqual({ kind: 'send-back', comments: 'approve the plan' });
  expect(answer('{"comments":"Shorter"}', long)).toEqual({ kind: 'send-back', comments: 'Shorter' });
  // Cards cut texts by bytes.
  const wide = { plan: '\u8a08'.repeat(5_400) };
  expect(plan.question(wide).approves).toBeUndefined();
  expect(answer('approve the plan', wide)).toMatchObject({ kind: 'send-back' });
});

it('[EXT1.35] a plan is sent back with comments on its paragraphs, each with the paragraph that it is about', () => {
  const args = { plan: 'Read “it”\n\n\n```\nrm -rf build\n```\n\nDone' };
  const { form } = plan.question(args);
  const paragraphs = ['Read “it”', '```\nrm -rf build\n```', 'Done'];
  expect(form?.fields.slice(0, 3).map(({ name, quote }) => [name, quote])).toEqual(
    paragraphs.map((quote, at) => [`p${at + 1}`, quote]),
  );
  expect(form?.lead).toBe('Its plan:');
  const comments = 'About “``` rm -rf build ```”: Keep it\n\nAbout “Done”: Run the tests\n\nShorter';
  const form1 = JSON.stringify({ p2: 'Keep it', p3: 'Run the tests', comments: 'Shorter' });
  const answers = [form1, form1.replace('{', '{"decision":"Send it back with comments",')];
  for (const text of [...answers, 'p3: Run the tests\np2: Keep it\ncomments: Shorter'])
    expect(plan.answer(args, text)).toEqual({ kind: 'send-back', comments });
  expect(plan.answer(args, '{"decision":"Approve the plan","p2":"Keep it"}')).toMatchObject({ kind: 'invalid' });
  expect(plan.answer(args, '{"p4":"No such paragraph"}')).toMatchObject({ kind: 'invalid' });
  expect(plan.answer(args, 'p2: Approve the plan\ndecision: Approve the plan')).toMatchObject({ kind: 'invalid' });
  // Words that are no list of comments stay as they are.
  expect(plan.answer(args, 'Two things:\np2: Keep it')).toEqual({
    kind: 'send-back',
    comments: 'Two things:\np2: Keep it',
  });
});

it('[EXT1.35] a plan with many paragraphs has at most 40 fields, which together show all of it', () => {
  const text = Array.from({ length: 500 }, (_, at) => `Step ${at}`).join('\n\n');
  const fields = (plan.question({ plan: text }).form?.fields ?? []).filter(({ quote }) => quote !== undefined);
  expect(fields).toHaveLength(40);
  expect(fields.map(({ quote }) => quote).join('\n\n')).toBe(text);
});
