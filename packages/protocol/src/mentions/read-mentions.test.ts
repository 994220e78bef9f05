import { describe, expect, it } from 'vitest';
import type { Addressable } from './addressable.js';
import { readMentions } from './read-mentions.js';

const agent = (id: string, name = id, active = true): Addressable => ({ id, name, active });
const crew = [
  agent('bob', 'Bob'),
  agent('alice', 'Alice'),
  agent('harbour-crew', 'Harbour Crew'),
  agent('harbour', 'Harbour'),
];
const named = (content: string, agents = crew): string[] => readMentions(content, agents).agentIds;

describe('readMentions', () => {
  it('[WORLD3.2] only the first 1,000 mentions count, in any position', () => {
    expect(named(`${'@bob '.repeat(999)}@alice`)).toEqual(['bob', 'alice']);
    expect(named(`${'@bob '.repeat(1_000)}@alice`)).toEqual(['bob']);
    expect(named(`${'@bob hi\n'.repeat(1_000)}@alice`)).toEqual(['bob']);
    expect(named(`${'a long log\n'.repeat(50_000)}@alice what is that?`)).toEqual(['alice']);
  });

  it.each([
    ['@bob hi', ['bob']],
    ['@BOB: hi', ['bob']],
    ['@Bob Hi there', ['bob']],
    ['  \t@bob hi', ['bob']],
    ['\u00a0 @bob hi', ['bob']],
    ['      @bob hi', ['bob']],
    ['@bob', ['bob']],
    ["@bob's plan", ['bob']],
    ['@bob- hi', ['bob']],
    ['@bob.', ['bob']],
    ['hello\n@bob hi', ['bob']],
    ['hello\r\n  @bob hi', ['bob']],
    ['hello\r@bob hi', ['bob']],
    ['@bob do this\nand\n@alice do that', ['bob', 'alice']],
  ])('[WORLD3.1] a mention at the start of a line addresses the agent: %j', (content, expected) => {
    expect(named(content)).toEqual(expected);
  });

  it.each([
    ['**@bob** hi', ['bob']],
    ['***@bob*** hi', ['bob']],
    ['*@bob* hi', ['bob']],
    ['_@bob_ hi', ['bob']],
    ['__@Harbour Crew__: hi', ['harbour-crew']],
    ['**@bob please** hi', ['bob']],
    ['**@bob, @alice** hi', ['bob', 'alice']],
    ['- @bob hi', ['bob']],
    ['* @bob hi\n  + @alice hi', ['bob', 'alice']],
    ['1. @bob hi\n2) @alice hi', ['bob', 'alice']],
    ['# @bob', ['bob']],
    ['- ## **@bob** hi', ['bob']],
    ['I would:\n- **@bob**: do\n- _@alice_: do', ['bob', 'alice']],
  ])('[WORLD3.1] list, heading and emphasis markers may precede it: %j', (content, expected) => {
    expect(named(content)).toEqual(expected);
  });

  it.each([
    ['@alice, @bob hi', ['alice', 'bob']],
    ['@bob @alice hi', ['bob', 'alice']],
    ['@bob,@alice hi', ['bob', 'alice']],
    ['@bob、@alice hi', ['bob', 'alice']],
    ['@bob @Bob @BOB hi', ['bob']],
    ['@bob, @harbour crew, @alice hi', ['bob', 'harbour-crew', 'alice']],
    ['@bob and @alice', ['bob']],
    ['@bob: @alice said so', ['bob']],
  ])('[WORLD3.2] several leading mentions address all of them: %j', (content, expected) => {
    expect(named(content)).toEqual(expected);
  });

  it.each([
    ['@harbour crew go', ['harbour-crew']],
    ['@Harbour  Crew, go', ['harbour-crew']],
    ['@harbour-crew go', ['harbour-crew']],
    ['@harbour crews go', ['harbour']],
    ['@harbour go', ['harbour']],
    ['@harbour\ncrew', ['harbour']],
  ])('[WORLD3] the longest matching name or id wins: %j', (content, expected) => {
    expect(named(content)).toEqual(expected);
  });

  it.each(['@bobby hi', '@bob-hi', '@bob_hi', '@bob2', '@bobé'])(
    '[WORLD3] a longer word does not match the name: %j',
    (content) => {
      expect(readMentions(content, crew)).toEqual({
        agentIds: [],
        human: false,
        unknown: [content.slice(1).split(' ')[0]],
      });
    },
  );

  it.each([
    'mail bob@x.com',
    'bob@alice',
    '@ bob',
    '@',
    '@@bob',
    '@bob@x.com',
    '@bob/tools is a package',
    '> @bob',
    '> - @bob',
    '-@bob hi',
    '#@bob hi',
    '1.@bob hi',
    '** @bob** hi',
    '~~@bob~~ hi',
    '[@bob](x)',
  ])('[WORLD3.3] addresses no agent, known or unknown: %j', (content) => {
    expect(readMentions(content, crew)).toEqual({ agentIds: [], human: false, unknown: [] });
  });

  it.each([
    '`@bob` is a name',
    '`x\n@bob` still the same code',
    '``x ` y\n@bob``',
    '```\n@bob hi\n```',
    '```js\n@bob hi\n`` \n@bob',
    '~~~\n```\n@bob\n~~~',
    '````\n```\n@bob\n````',
    '- ```\n  @bob\n  ```',
    '- `x\n- @bob` hi',
    'see:\n\n    - @bob',
    'see:\n\n    @bob hi',
    '\n    @bob hi',
    '```\n```\n    @bob hi',
    'see:\n\n\t@bob hi\n\n\t@bob again',
    '1. do\n    ```\n@bob\n    ```',
  ])('[WORLD3.3] a mention in code addresses nobody: %j', (content) => {
    expect(readMentions(content, crew)).toEqual({ agentIds: [], human: false, unknown: [] });
  });

  it.each([
    '```\ncode\n```\n@bob hi',
    '`unclosed\n@bob hi',
    'a stray `\n\n@bob and another `',
    '\\`x\n@bob hi `',
    '`` x `\n@bob hi',
    '``` not a fence ```\n@bob hi',
    'see:\n    @bob, this line belongs to the paragraph',
    '@bob ```js\n@alice\n```',
    '```\n```js\n@alice\n```\n@bob',
  ])('[WORLD3.3] a mention after or outside code counts: %j', (content) => {
    expect(named(content)).toEqual(['bob']);
  });

  it('[WORLD3.4] @human, in upper or lower case, is the only mention of people', () => {
    expect(readMentions('@Human please', crew)).toEqual({ agentIds: [], human: true, unknown: [] });
    expect(readMentions('@user1, @user, @world, @humans hi', crew)).toEqual({
      agentIds: [],
      human: false,
      unknown: ['user1', 'user', 'world', 'humans'],
    });
  });

  it('[WORLD3.4] an agent named human never receives messages for people', () => {
    expect(readMentions('@human hi', [agent('human', 'Human')])).toEqual({ agentIds: [], human: true, unknown: [] });
  });

  it('[WORLD3.4] a longer name that starts with human is that agent', () => {
    expect(readMentions('@human resources hi', [agent('hr', 'Human Resources')])).toEqual({
      agentIds: ['hr'],
      human: false,
      unknown: [],
    });
  });

  it('[WORLD3.3] unknown names are reported once each, as written, and do not end the list', () => {
    expect(readMentions('@Ghost, @ghost, @bob @nobody- hi', crew)).toEqual({
      agentIds: ['bob'],
      human: false,
      unknown: ['Ghost', 'nobody'],
    });
  });

  it('[WORLD3] a very long unknown name is truncated to the maximum length', () => {
    expect(readMentions(`@${'𝒳'.repeat(1000)}`, crew).unknown).toEqual(['𝒳'.repeat(64)]);
  });

  it('[WORLD3] letters of any script and Unicode normalization match', () => {
    const agents = [agent('jose', 'José'), agent('yurij', 'Юрий 2'), agent('odos', 'ΟΔΟΣ'), agent('wang', '王小明')];
    expect(named('@JOSE\u0301, @юрий 2, @οδος hi', agents)).toEqual(['jose', 'yurij', 'odos']);
    expect(named('@王小明，你好', agents)).toEqual(['wang']);
    expect(named('@王小明你好', agents)).toEqual([]);
  });

  it('[WORLD3] a name that is also another agent’s id means the agent with that name', () => {
    const agents = [agent('bob-2', 'Bob 2'), agent('bob-2-2', 'Bob-2')];
    expect(named('@bob 2', agents)).toEqual(['bob-2']);
    expect(named('@bob-2', agents)).toEqual(['bob-2-2']);
  });

  it('[WORLD3] an inactive agent is still addressed by its name', () => {
    expect(named('@off hi', [agent('off', 'Off', false)])).toEqual(['off']);
  });
});
