import { describe, expect, it } from 'vitest';
import type { Addressable } from './addressable.js';
import { resolveAddressees } from './resolve-addressees.js';
import type { Speaker } from './speaker.js';

const agents: Addressable[] = [
  { id: 'alice', name: 'Alice', active: true },
  { id: 'bob', name: 'Bob', active: true },
  { id: 'off', name: 'Off', active: false },
  { id: 'user-service', name: 'user service', active: true },
];
const human: Speaker = { kind: 'human' };
const everybody = ['alice', 'bob', 'user-service'];
const from = (speaker: Speaker, content: string, mainAgent?: string) =>
  resolveAddressees({ content, speaker, agents, mainAgent });

describe('resolveAddressees', () => {
  it.each<Speaker>([{ kind: 'human' }, { kind: 'world' }])(
    '[WORLD2] without a mention every active agent answers %j',
    (speaker) => {
      expect(from(speaker, 'hello')).toEqual({ agentIds: everybody, addressed: 'everyone' });
      expect(from(speaker, '')).toEqual({ agentIds: everybody, addressed: 'everyone' });
    },
  );

  it('[WORLD2] only the main agent answers messages without a mention', () => {
    expect(from(human, 'hello', 'bob')).toEqual({ agentIds: ['bob'], addressed: 'everyone' });
    expect(from(human, '@alice hello', 'bob').agentIds).toEqual(['alice']);
  });

  it.each(['off', 'long-gone'])(
    '[WORLD2] a missing or inactive main agent (%s) does not keep the agents of the world from answering',
    (mainAgent) => {
      expect(from(human, 'hello', mainAgent).agentIds).toEqual(everybody);
    },
  );

  it('[WORLD3] addressed agents answer in the order of mention, others do not', () => {
    expect(from(human, '@bob, @alice hi')).toEqual({ agentIds: ['bob', 'alice'], addressed: 'named' });
  });

  it('[WORLD3.3] an email address does not count as a mention', () => {
    expect(from(human, 'mail bob@x.com')).toEqual({ agentIds: everybody, addressed: 'everyone' });
    expect(from(human, 'mail x@bob about it').agentIds).toEqual(everybody);
  });

  it.each(['what does @bob think?', 'what about (@Bob)?', '> @bob', 'is @off there?'])(
    '[WORLD3.3] nobody answers if an agent is mentioned only in the middle of a line: %j',
    (content) => {
      expect(from(human, content)).toEqual({ agentIds: [], addressed: 'nobody' });
    },
  );

  it.each([
    'what does `@bob` do?',
    'see:\n\n    @bob',
    'a @ghost in mid-text',
    'a @human in mid-text',
    'see https://x.com/@bob',
    'a.b@bob',
    '@bob/tools',
  ])('[WORLD3.3] text that is not a mention leaves the message to everyone: %j', (content) => {
    expect(from(human, content)).toEqual({ agentIds: everybody, addressed: 'everyone' });
  });

  it('[WORLD3.3] nobody answers a message that addresses only unknown names', () => {
    expect(from(human, '@ghost hi, ask @bob', 'bob')).toEqual({ agentIds: [], addressed: 'nobody' });
  });

  it('[WORLD3] an unknown name next to a known one changes nothing', () => {
    expect(from(human, '@ghost, @bob hi')).toEqual({ agentIds: ['bob'], addressed: 'named' });
  });

  it('[WORLD3.4] @human counts as a mention', () => {
    expect(from(human, '@human look')).toEqual({ agentIds: [], addressed: 'named' });
    expect(from(human, '@human @bob look').agentIds).toEqual(['bob']);
  });

  it('[WORLD3] nobody answers in place of an inactive agent', () => {
    expect(from(human, '@off hi', 'bob')).toEqual({ agentIds: [], addressed: 'named' });
    expect(from(human, '@off, @bob hi').agentIds).toEqual(['bob']);
  });

  it('[WORLD4] an agent never answers itself', () => {
    const bob: Speaker = { kind: 'agent', agentId: 'bob' };
    expect(from(bob, '@bob hi')).toEqual({ agentIds: [], addressed: 'nobody' });
    expect(from(bob, '@bob @alice hi').agentIds).toEqual(['alice']);
  });

  it("[WORLD4] an agent's message is answered only by agents it addresses, regardless of its author's name", () => {
    const service: Speaker = { kind: 'agent', agentId: 'user-service' };
    expect(from(service, 'hello', 'bob')).toEqual({ agentIds: [], addressed: 'nobody' });
    expect(from(service, '@bob hello')).toEqual({ agentIds: ['bob'], addressed: 'named' });
    expect(from(service, '@ghost hello')).toEqual({ agentIds: [], addressed: 'nobody' });
  });
});
