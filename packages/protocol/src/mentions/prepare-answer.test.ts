import { describe, expect, it } from 'vitest';
import type { Addressable } from './addressable.js';
import { prepareAnswer } from './prepare-answer.js';
import type { Speaker } from './speaker.js';

const agents: Addressable[] = [
  { id: 'me', name: 'Me', active: true },
  { id: 'bob', name: 'Bob', active: true },
  { id: 'carol', name: 'Carol', active: true },
  { id: 'bob-smith', name: 'Bob Smith', active: true },
  { id: 'off', name: 'Off', active: false },
];
const human: Speaker = { kind: 'human' };
const bob: Speaker = { kind: 'agent', agentId: 'bob' };
const answer = (content: string, answering: Speaker = human) =>
  prepareAnswer({ content, agentId: 'me', answering, agents });
const published = (content: string, answering: Speaker = human): string => answer(content, answering).content;

describe('prepareAnswer: self-mentions', () => {
  it.each([
    ['@me hi', 'hi'],
    ['@Me: hi', 'hi'],
    ['@me, @carol hi', '@carol hi'],
    ['@carol, @me hi', '@carol, hi'],
    ['@carol @me: @me hi', '@carol, hi'],
    ['@me: @carol hi', '@carol hi'],
    ['hello\n  @me yes\nbye', 'hello\n  yes\nbye'],
    ['@me\nhello', 'hello'],
    ['hello\n\n@me\n\nbye', 'hello\n\nbye'],
    ['hello\r\n@me\r\nbye', 'hello\r\nbye'],
    ['hello\n@me', 'hello'],
    ['@me @me @me', ''],
    ['@ghost @me hi', '@ghost, hi'],
    ['@me ```js\nx\n```', '```js\nx\n```'],
    ['**@me** hi', 'hi'],
    ['**@me**: **hi**', '**hi**'],
    ['**@me hi** there', '**hi** there'],
    ['**@me, @carol** hi', '**@carol** hi'],
    ['_@me_ @me hi', 'hi'],
    ['- @me do it\n- @carol do it', '- do it\n- @carol do it'],
    ['hello\n- @me\nbye', 'hello\nbye'],
    ['1. **@me** do it', '1. do it'],
    ['# @me', ''],
    ['@me - @me hi', 'hi'],
    ['> @me said so', '> @me said so'],
  ])('[WORLD5] removes them at the start of a line: %j', (content, expected) => {
    expect(published(content)).toBe(expected);
  });

  it.each(['I am @me', '`@me`', '```\n@me\n```\n', 'mail@me', '@menu', '  \n hello \n', ''])(
    '[WORLD5] keeps anything else: %j',
    (content) => {
      expect(published(content)).toBe(content);
    },
  );

  it('[WORLD5] removing a mention never changes the target of another one', () => {
    expect(answer('@bob @me smith is here')).toEqual({
      content: '@bob, smith is here',
      agentIds: ['bob'],
      ended: false,
    });
  });

  it('[WORLD5] removing a line never turns prose into code or code into prose', () => {
    expect(answer('a\n\n@me\n    @carol hi')).toEqual({ content: 'a\n\n@carol hi', agentIds: ['carol'], ended: false });
    expect(answer('@me\n\n    @carol hi')).toEqual({ content: '\n    @carol hi', agentIds: [], ended: false });
    expect(answer('@me ```\n@me, @carol\n```\n@bob hi')).toEqual({
      content: '```\n@me, @carol\n```\n@bob hi',
      agentIds: ['bob'],
      ended: false,
    });
    expect(answer('a\n\n@me\n    ```\n@carol\n```')).toEqual({
      content: 'a\n\n```\n@carol\n```',
      agentIds: [],
      ended: false,
    });
  });
});

describe('prepareAnswer: auto-mention', () => {
  it.each([
    ['hi', '@Bob hi'],
    ['\n\n hi', '@Bob hi'],
    ['@me hi', '@Bob hi'],
    ['as @carol said', '@Bob as @carol said'],
    ['@ghost hi', '@Bob @ghost hi'],
    ['`@carol` hi', '@Bob `@carol` hi'],
    ['smith is here', '@Bob\n\nsmith is here'],
    [', @carol hi', '@Bob\n\n, @carol hi'],
    ['```\n@carol\n```', '@Bob\n\n```\n@carol\n```'],
    ['\n    @carol', '@Bob\n\n    @carol'],
    ['    , @carol', '@Bob\n\n, @carol'],
  ])('[WORLD5.1] an answer to an agent without a mention addresses that agent: %j', (content, expected) => {
    expect(answer(content, bob)).toEqual({ content: expected, agentIds: ['bob'], ended: false });
  });

  it.each(['@carol hi', 'well\n@carol hi', '@human hi', '@off hi'])(
    '[WORLD5.1] an answer with a mention stays unchanged: %j',
    (content) => {
      expect(published(content, bob)).toBe(content);
    },
  );

  it.each<Speaker>([
    { kind: 'human' },
    { kind: 'world' },
    { kind: 'agent', agentId: 'me' },
    { kind: 'agent', agentId: 'gone' },
  ])('[WORLD5.1] an answer to people, the world, itself or a removed agent gets none: %j', (answering) => {
    expect(answer('hi', answering)).toEqual({ content: 'hi', agentIds: [], ended: false });
  });

  it('[WORLD5] an empty answer addresses nobody', () => {
    expect(answer(' \n', bob)).toEqual({ content: ' \n', agentIds: [], ended: false });
    expect(answer('@me', bob)).toEqual({ content: '', agentIds: [], ended: false });
  });

  it('[WORLD5] an inactive agent is named but does not answer', () => {
    expect(answer('hi', { kind: 'agent', agentId: 'off' })).toEqual({ content: '@Off hi', agentIds: [], ended: false });
  });

  it('[WORLD5.1] of two agents with the same name, the right one is addressed by its id', () => {
    const twins = [...agents, { id: 'bob-2', name: 'Bob', active: true }];
    const answering: Speaker = { kind: 'agent', agentId: 'bob-2' };
    expect(prepareAnswer({ content: 'hi', agentId: 'me', answering, agents: twins })).toEqual({
      content: '@bob-2 hi',
      agentIds: ['bob-2'],
      ended: false,
    });
  });
});

describe('prepareAnswer: tags', () => {
  it.each([
    ['Bye. <world>STOP</world>', 'Bye.'],
    ['<world>done</world> Bye.', 'Bye.'],
    ['< World >\n pass </ WORLD >', ''],
    ['@carol, @human bye <world>STOP</world>', 'bye'],
    ['@carol bye\n<world>STOP</world>\n@bob bye', 'bye\nbye'],
    ['one <world>PASS</world> two <world>TO: carol</world>.', 'one two.'],
    ['a\r\n<world>STOP</world>\r\nb', 'a\r\nb'],
    ['a <world>STOP</world> <world>DONE</world> b', 'a b'],
    ['<world>STOP</world>@carol: @bob hi', 'hi'],
  ])('[WORLD5.2] STOP, DONE and PASS end the exchange: %j', (content, expected) => {
    for (const answering of [human, bob]) {
      expect(answer(content, answering)).toEqual({ content: expected, agentIds: [], ended: true });
    }
  });

  it.each([
    ['<world>TO: carol</world> hi', '@Carol hi', ['carol']],
    ['hi <world>to : @carol, Bob Smith, me, ghost</world>', '@Carol, @Bob Smith hi', ['carol', 'bob-smith']],
    ['hi <world>TO: @bob @carol</world>', '@Bob, @Carol hi', ['bob', 'carol']],
    ['@bob hi\n@human look\n<world>TO: carol</world>', '@Carol hi\nlook', ['carol']],
    [
      '<world>TO: carol</world><world>TO: off, bob-smith, Bob Smith</world> hi',
      '@Carol, @Off, @Bob Smith hi',
      ['carol', 'bob-smith'],
    ],
    ['<world>TO: human</world> hi', '@human hi', []],
    ['<world>TO: carol</world>', '@Carol', ['carol']],
    ['<world>TO: bob</world> smith was here', '@Bob\n\nsmith was here', ['bob']],
    ['<world>TO: bob</world>\n```\n@carol\n```', '@Bob\n\n```\n@carol\n```', ['bob']],
  ])('[WORLD5.2] TO addresses exactly the agents it names: %j', (content, expected, agentIds) => {
    for (const answering of [human, bob]) {
      expect(answer(content, answering)).toEqual({ content: expected, agentIds, ended: false });
    }
  });

  it('[WORLD5.2] a TO without any existing agent is ignored', () => {
    expect(answer('<world>TO: ghost</world> hi', bob)).toEqual({ content: '@Bob hi', agentIds: ['bob'], ended: false });
    expect(answer('@carol hi <world>TO: me</world>')).toEqual({
      content: '@carol hi',
      agentIds: ['carol'],
      ended: false,
    });
  });

  it.each([
    '`<world>STOP</world>`',
    '```\n<world>STOP</world>\n```',
    'x\n\n    <world>STOP</world>',
    '<world>HALT</world>',
    '<world>STOP',
    '<world>TO carol</world>',
  ])('[WORLD5.2] a tag in code or with unknown content is text: %j', (content) => {
    expect(answer(content)).toEqual({ content, agentIds: [], ended: false });
  });
});
