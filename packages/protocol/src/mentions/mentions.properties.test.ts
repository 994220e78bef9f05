import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameSchema, slug } from '../text/names.js';
import { sampled, scaled } from '../../../../tests/support/scaled.js';
import { prepareAnswer, readMentions, resolveAddressees, type Addressable, type Speaker } from './index.js';

const word = fc.constantFrom('a', 'b', 'Bob', 'bob', 'Hi', '2', 'é', 'İ', 'ΣΑΣ', '王', 'smith', 'x');
/** Few and short words, so that names are often prefixes of each other and of the text. */
const name = fc
  .oneof(
    fc
      .array(word, { minLength: 1, maxLength: 3 })
      .chain((words) => fc.constantFrom(' ', '-', '_', '', '  ').map((by) => words.join(by))),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
  )
  .filter((text) => nameSchema.safeParse(text).success);

const world = fc
  .array(fc.record({ name, active: fc.boolean() }), { minLength: 2, maxLength: 5 })
  .map((members): Addressable[] => {
    const taken = new Set<string>();
    return members.flatMap((member) => {
      const id = slug(member.name);
      if (taken.has(id)) return [];
      taken.add(id);
      return [{ id, ...member }];
    });
  });

const noise = fc.constantFrom(
  ...[
    '@',
    '@human',
    '@ghost',
    'mail bob@x.com',
    ' ',
    '  ',
    '    ',
    '\t',
    '\n',
    '\n\n',
    '\r\n',
    ', ',
    ': ',
    ',',
    '`',
    '``',
    '```',
    '~~~',
  ],
  ...[
    '- ',
    '1. ',
    '> ',
    '# ',
    '*',
    '**',
    '_',
    '***',
    '\\',
    '/',
    '.',
    '-',
    '_',
    'Hi there',
    'smith',
    'the',
    '\u00a0',
    '<',
    '>',
  ],
);
const tag = fc.constantFrom('<world>STOP</world>', '< world> done </world >', '<world>TO: ', '</world>', '<world>');
const scene = (pieces: fc.Arbitrary<string>) =>
  world.chain((agents) => {
    const called = fc.constantFrom(
      ...agents.flatMap(({ id, name: text }) => [text, id, `@${text}`, `@${id}`, `@${text} `, `\n@${id}, `]),
    );
    const member = fc.constantFrom(...agents.map(({ id }) => id));
    const speaker = fc.oneof(
      fc.constantFrom<Speaker>({ kind: 'human' }, { kind: 'world' }),
      member.map((agentId): Speaker => ({ kind: 'agent', agentId })),
    );
    const content = fc.array(fc.oneof(called, pieces), { maxLength: 14 }).map((parts) => parts.join(''));
    return fc.record({ agents: fc.constant(agents), content, agentId: member, answering: speaker });
  });
const plain = scene(noise);
const tagged = scene(fc.oneof(noise, tag));
const fold = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ');
const runs = { numRuns: scaled(300) };

describe('for any world and any text', () => {
  it('[WORLD3] every name and id, in either case, addresses its agent at the start of a line', () => {
    fc.assert(
      fc.property(
        world,
        fc.constantFrom('', ' ', 'text\n', 'text\n\n  '),
        fc.constantFrom('', ',', ': hi', '.', '\nnext'),
        (agents, before, after) => {
          for (const agent of agents) {
            const namesakes = agents.filter(({ name: other }) => fold(other) === fold(agent.name)).map(({ id }) => id);
            for (const spelling of [agent.name, agent.name.toLowerCase(), agent.name.normalize('NFD')]) {
              const read = readMentions(`${before}@${spelling}${after}`, agents).agentIds;
              expect(read).toHaveLength(1);
              expect(namesakes).toContain(read[0]);
            }
          }
        },
      ),
      runs,
    );
  });

  it('[WORLD3] a text without an @ mentions nobody', () => {
    fc.assert(
      fc.property(plain, ({ agents, content }) => {
        expect(readMentions(content.replaceAll('@', ''), agents)).toEqual({ agentIds: [], human: false, unknown: [] });
      }),
    );
  });

  it('[WORLD3] a fenced text addresses nobody', () => {
    fc.assert(
      fc.property(tagged, ({ agents, content }) => {
        const fence = '~'.repeat(100);
        expect(readMentions(`${fence}\n${content}\n${fence}`, agents)).toEqual({
          agentIds: [],
          human: false,
          unknown: [],
        });
      }),
    );
  });

  it('[WORLD4] each answering agent is active, answers once, and is not the speaker', () => {
    fc.assert(
      fc.property(plain, ({ agents, content, answering }) => {
        const { agentIds } = resolveAddressees({ content, speaker: answering, agents });
        expect(new Set(agentIds).size).toBe(agentIds.length);
        for (const id of agentIds) {
          expect(agents.find((agent) => agent.id === id)?.active).toBe(true);
          expect(answering).not.toEqual({ kind: 'agent', agentId: id });
        }
      }),
      runs,
    );
  });

  it('[WORLD5] a published answer names its addressees, and never its author', () => {
    fc.assert(
      fc.property(tagged, (input) => {
        const prepared = prepareAnswer(input);
        const speaker = { kind: 'agent', agentId: input.agentId } as const;
        expect(resolveAddressees({ content: prepared.content, speaker, agents: input.agents }).agentIds).toEqual(
          prepared.agentIds,
        );
        expect(readMentions(prepared.content, input.agents).agentIds).not.toContain(input.agentId);
      }),
      runs,
    );
  });

  it('[WORLD5] preparing an answer twice gives the same result', () => {
    fc.assert(
      fc.property(plain, (input) => {
        const once = prepareAnswer(input);
        expect(prepareAnswer({ ...input, content: once.content })).toEqual(once);
      }),
      runs,
    );
  });

  it('[WORLD5.2] an answer that ends the exchange addresses nobody', () => {
    fc.assert(
      fc.property(plain, (input) => {
        const prepared = prepareAnswer({ ...input, content: `<world>STOP</world>\n${input.content}` });
        expect(prepared).toMatchObject({ agentIds: [], ended: true });
        expect(readMentions(prepared.content, input.agents)).toMatchObject({ agentIds: [], human: false });
      }),
      runs,
    );
  });

  it('[WORLD5.2] TO addresses exactly the agent it names', () => {
    fc.assert(
      fc.property(plain, fc.nat(), (input, pick) => {
        const others = input.agents.filter(({ id, name: text }) => {
          const read = readMentions(`@${text}`, input.agents).agentIds;
          return id !== input.agentId && read[0] === id;
        });
        const to = others[pick % others.length];
        fc.pre(to !== undefined);
        const { content } = prepareAnswer({ ...input, content: `<world>TO: ${to.name}</world>\n${input.content}` });
        expect(readMentions(content, input.agents)).toMatchObject({ agentIds: [to.id], human: false });
      }),
      runs,
    );
  });

  it('[WORLD5.1] an answer to another agent is empty or addresses someone', () => {
    fc.assert(
      fc.property(plain, (input) => {
        fc.pre(input.answering.kind === 'agent' && input.answering.agentId !== input.agentId);
        const { content } = prepareAnswer(input);
        const read = readMentions(content, input.agents);
        expect(content.trim() === '' || read.human || read.agentIds.length > 0).toBe(true);
      }),
      runs,
    );
  });

  it('[WORLD5] an answer to a person keeps all addressees except its author, and is unchanged if it doesn’t mention its author', () => {
    fc.assert(
      fc.property(plain, ({ agents, agentId, content }) => {
        const prepared = prepareAnswer({ content, agentId, answering: { kind: 'human' }, agents });
        const before = readMentions(content, agents).agentIds;
        const others = before.filter((id) => id !== agentId);
        expect(readMentions(prepared.content, agents).agentIds).toEqual(expect.arrayContaining(others));
        expect(before.includes(agentId) || prepared.content === content).toBe(true);
      }),
      runs,
    );
  });
});

describe('a long text', () => {
  const agents: Addressable[] = [
    { id: 'me', name: 'a a a a a a a a', active: true },
    { id: 'bob', name: 'Bob', active: true },
  ];
  const kilobyte = 2 ** 10;
  const whole = ['@', '`', ' ', '-', '<', '@a-', '@bob@', '<world>', '@a a a a a a a a a '];
  const lines = ['\n', '\r', '\n    ', '```\n', '@me\n', '@me ```\n', '<world>TO: me</world>\n'];
  const words = [
    '` ',
    '`` ` ',
    '\\`',
    '\t',
    '@a ',
    '@me ',
    '@me: ',
    '< ',
    '<world> ',
    '<world>STOP</world>',
    '- ',
    '- @',
    'x@bob ',
    'x @bobx ',
    '@ﷺ',
  ];

  // Code that rescans a text for each of its parts would hit the test timeout here.
  it.each([
    ...sampled(whole, 4).map((piece) => [piece, 256] as const),
    ...sampled([...lines, ...words], 8).map((piece) => [piece, 64] as const),
  ])('[WORLD3] of %j, %i KiB, is scanned once', (piece, kilobytes) => {
    const long = piece.repeat(Math.ceil((kilobytes * kilobyte) / piece.length));
    // The text starts with an @, because a text without one is not scanned.
    const content = `@bobx\n${long}`;
    expect(readMentions(content, agents).human).toBe(false);
    expect(
      resolveAddressees({ content: `x@y ${long}`, speaker: { kind: 'human' }, agents }).agentIds.length,
    ).toBeLessThan(3);
    const answering: Speaker = { kind: 'agent', agentId: 'bob' };
    expect(prepareAnswer({ content, agentId: 'me', answering, agents }).agentIds).not.toContain('me');
  });
});
