import { describe, expect, it } from 'vitest';
import { composeNotice, type WaitingCall } from './compose-notice.js';

const call = (more: Partial<WaitingCall> = {}): WaitingCall => ({
  approvalId: 'approval_1',
  chatId: 'chat_1',
  agentName: 'Ada',
  toolName: 'shell_cmd',
  arguments: { command: 'rm notes/x' },
  callHash: 'a'.repeat(64),
  ...more,
});
const compose = (...calls: WaitingCall[]) =>
  composeNotice({
    world: { id: 'release', name: 'Release' },
    calls,
    more: false,
    isNew: true,
    waitedMs: 0,
    denialOf: ({ approvalId }) => `deny ${approvalId}`,
  });

describe('[PUSH3] the notification about what waits', () => {
  it('says who wants to run what, and where', () => {
    expect(compose(call())).toEqual({
      tag: 'world:release',
      path: '/w/release/c/chat_1?approval=approval_1',
      title: 'Release: Ada wants to run shell_cmd',
      body: 'rm notes/x',
      denial: 'deny approval_1',
    });
    const named = call({ toolName: 'write_file', arguments: { path: 'a', content: { b: 1 } } });
    expect(compose(named).body).toBe('path: a\ncontent: {"b":1}');
    for (const given of ['text', 7, null]) expect(compose(call({ arguments: given })).body).toBe(String(given));
  });

  it('can only be opened if it is a question', () => {
    const question = { text: 'Which one?', choices: [] };
    expect(compose(call({ question }))).toMatchObject({ title: 'Release: Ada asks', body: 'Which one?' });
    expect(compose(call({ question }))).not.toHaveProperty('denial');
  });

  it('[PUSH3.2] counts several calls, and disappears without any', () => {
    expect(compose(call(), call())).toMatchObject({ title: '2 calls wait in Release', path: '/inbox' });
    expect(compose()).toMatchObject({ closes: true, silent: true });
  });

  it.each(['a', '\u202E', '\u{1F600}', '\0'])(
    'fits into a message, and says that it was shortened: %j',
    (character) => {
      const text = character.repeat(50_000);
      const notice = compose(call({ agentName: text, toolName: text, arguments: { command: text } }));
      expect(notice.body).toMatch(/ …\nShortened\. Review shows all of it\.$/);
      expect(Buffer.byteLength(JSON.stringify(notice))).toBeLessThan(3_000);
      expect(notice.body).not.toMatch(/[\0\u202E]/);
    },
  );
});
