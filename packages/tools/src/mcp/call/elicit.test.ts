import { NoAnswer } from '@countersign/core/ports';
import type { Question } from '@countersign/protocol';
import type { ElicitRequestFormParams } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { elicit } from './elicit.js';

type Schema = ElicitRequestFormParams['requestedSchema'];
type Field = Schema['properties'][string];

async function ask(properties: Schema['properties'], answer: string, required: string[] = []) {
  const asked: Question[] = [];
  const result = await elicit(
    'shed',
    { message: 'Please', requestedSchema: { type: 'object', properties, required } },
    (question) => {
      asked.push(question);
      return Promise.resolve(answer);
    },
  );
  return { question: asked[0], result };
}

describe('a question with one field', () => {
  it.each<[Field, string, unknown]>([
    [{ type: 'string' }, 'hello', 'hello'],
    [{ type: 'number' }, '1.5', 1.5],
    [{ type: 'integer' }, '7', 7],
    [{ type: 'boolean' }, 'yes', true],
    [{ type: 'boolean' }, 'False', false],
    [{ type: 'string', enum: ['red', 'green'] }, 'red', 'red'],
    [{ type: 'string', oneOf: [{ const: 'r', title: 'Red' }] }, 'r', 'r'],
    [{ type: 'string', default: 'usual' }, 'Accept', 'usual'],
    [{ type: 'array', items: { type: 'string', enum: ['cod', 'eel'] } }, 'cod, eel', ['cod', 'eel']],
    [{ type: 'string', enum: Array.from({ length: 300 }, (_, at) => `c${at}`) }, 'c299', 'c299'],
  ])('%j answered with %s gives %s', async (field, answer, value) => {
    const { result } = await ask({ field: field }, answer);
    expect(result).toEqual({ action: 'accept', content: { field: value } });
  });

  it.each<[Field, string]>([
    [{ type: 'integer' }, '7.5'],
    [{ type: 'number' }, 'many'],
    [{ type: 'boolean' }, 'perhaps'],
    [{ type: 'string', enum: ['red', 'green'] }, 'blue'],
    [{ type: 'string' }, 'Decline'],
    [{ type: 'integer', minimum: 1 }, '0'],
    [{ type: 'number', maximum: 9 }, '9.5'],
    [{ type: 'string', minLength: 2 }, 'A'],
    [{ type: 'string', maxLength: 2 }, 'Ada'],
    [{ type: 'string', format: 'email' }, 'nobody'],
    [{ type: 'array', items: { type: 'string', enum: ['cod', 'eel'] } }, 'cod, shark'],
    [{ type: 'array', items: { type: 'string', enum: ['cod', 'eel'] }, minItems: 2 }, 'cod'],
    [{ type: 'string', enum: Array.from({ length: 300 }, (_, at) => `c${at}`) }, 'blue'],
  ])('[CALL15] %j answered with %s is declined and not guessed', async (field, answer) => {
    const { result } = await ask({ field: field }, answer);
    expect(result).toEqual({ action: 'decline' });
  });

  it('offers its choices and a way to decline', async () => {
    const { question } = await ask(
      { colour: { type: 'string', enum: ['red', 'green'], description: 'of the boat' } },
      'red',
    );
    const choices = ['red', 'green'].map((value) => ({ value, label: value }));
    expect(question).toEqual({
      text: 'The MCP server "shed" asks: Please\n- colour (red | green): of the boat',
      choices: ['red', 'green', 'Decline'],
      form: {
        lead: 'The MCP server "shed" asks: Please',
        fields: [{ name: 'colour', label: 'colour', hint: 'of the boat', kind: 'choice', isRequired: false, choices }],
      },
    });
  });
});

describe('a question with several fields', () => {
  const fields: Schema['properties'] = {
    name: { type: 'string' },
    age: { type: 'integer', default: 30 },
    ok: { type: 'boolean' },
  };

  it('is answered with one line per field; omitted fields get their defaults', async () => {
    const { result } = await ask(fields, 'name: Ada: the first\nok = yes', ['name']);
    expect(result).toEqual({ action: 'accept', content: { name: 'Ada: the first', age: 30, ok: true } });
  });

  it('[CALL15] is declined if a required field is missing or the answer names no field', async () => {
    expect((await ask(fields, 'ok: yes', ['name'])).result).toEqual({ action: 'decline' });
    expect((await ask(fields, 'what is this?')).result).toEqual({ action: 'decline' });
  });
});

describe('a question with a form', () => {
  const fields: Schema['properties'] = {
    name: { type: 'string', title: 'Full name', minLength: 2 },
    mail: { type: 'string', format: 'email' },
    age: { type: 'integer', minimum: 1, maximum: 99, default: 42 },
    ok: { type: 'boolean', description: 'Agree' },
    hero: { type: 'string', oneOf: [{ const: 'h1', title: 'Superman' }] },
    fish: { type: 'array', items: { type: 'string', enum: ['cod', 'eel'] }, minItems: 1 },
  };

  it('[HTTP8.7] has the kind, label, default, limits and choices of each field', async () => {
    const { question } = await ask(fields, 'Decline', ['name']);
    expect(question?.form).toEqual({
      lead: 'The MCP server "shed" asks: Please',
      fields: [
        { name: 'name', label: 'Full name', kind: 'text', isRequired: true, least: 2 },
        { name: 'mail', label: 'mail', kind: 'text', format: 'email', isRequired: false },
        { name: 'age', label: 'age', kind: 'integer', isRequired: false, default: 42, least: 1, most: 99 },
        { name: 'ok', label: 'ok', hint: 'Agree', kind: 'boolean', isRequired: false },
        {
          name: 'hero',
          label: 'hero',
          kind: 'choice',
          isRequired: false,
          choices: [{ value: 'h1', label: 'Superman' }],
        },
        {
          name: 'fish',
          label: 'fish',
          kind: 'choices',
          isRequired: false,
          least: 1,
          choices: [
            { value: 'cod', label: 'cod' },
            { value: 'eel', label: 'eel' },
          ],
        },
      ],
    });
    const { question: odd } = await ask({ odd: { type: 'object' } as never }, 'Decline');
    expect(odd?.form).toBeUndefined();
  });

  it('[HTTP8.7] is answered with exactly the values that were sent', async () => {
    const content = { name: 'Ada', mail: 'ada@example.org', ok: false, fish: ['eel'] };
    const { result } = await ask(fields, JSON.stringify(content), ['name']);
    expect(result).toEqual({ action: 'accept', content });
  });

  it.each([
    [{ mail: 'ada@example.org' }],
    [{ name: 'A' }],
    [{ name: 'Ada', mail: 'nobody' }],
    [{ name: 'Ada', age: 100 }],
    [{ name: 'Ada', age: 1.5 }],
    [{ name: 'Ada', ok: 'yes' }],
    [{ name: 'Ada', hero: 'h2' }],
    [{ name: 'Ada', fish: [] }],
  ])('[CALL15] [HTTP8.7] %j is declined', async (content) => {
    expect((await ask(fields, JSON.stringify(content), ['name'])).result).toEqual({ action: 'decline' });
  });
});

it('[CALL15] a question without a form is declined if one of its answers can’t be parsed', async () => {
  const fields = { odd: { type: 'object' } as never, age: { type: 'integer' } } as const;
  const content = { odd: 'words', age: 7 };
  expect((await ask(fields, 'odd: words\nage: 7')).result).toEqual({ action: 'accept', content });
  expect((await ask(fields, 'odd: words\nage: many')).result).toEqual({ action: 'decline' });
});

it('[CALL15] a question without fields is accepted only with “Accept”', async () => {
  expect((await ask({}, 'Accept')).result).toEqual({ action: 'accept', content: {} });
  expect((await ask({}, 'no')).result).toEqual({ action: 'decline' });
  expect((await ask({}, 'decline')).result).toEqual({ action: 'decline' });
});

it('does not treat a missing answer as a yes', async () => {
  const params: ElicitRequestFormParams = { message: 'Please', requestedSchema: { type: 'object', properties: {} } };
  const gone = (how: 'declined' | 'expired') => () => Promise.reject(new NoAnswer(how, 'nobody is here'));
  expect(await elicit('shed', params, gone('declined'))).toEqual({ action: 'decline' });
  expect(await elicit('shed', params, gone('expired'))).toEqual({ action: 'cancel' });
});
