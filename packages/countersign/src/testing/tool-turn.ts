import type { ScriptedCall, ScriptedReply } from '../index.js';
import { openTestWorld, type TestWorld, type TestWorldOptions } from './fixture.js';

export const calls = (...names: (string | ScriptedCall)[]): ScriptedReply => ({
  calls: names.map((call) => (typeof call === 'string' ? { name: call } : call)),
});

/** A world whose model makes these calls once and then answers `done`. */
export async function openCalling(
  names: readonly (string | ScriptedCall)[],
  options: TestWorldOptions,
): Promise<TestWorld> {
  return openTestWorld({ script: [calls(...names), 'done'], ...options });
}

export async function run(opened: TestWorld): Promise<string> {
  await opened.chat.send('go');
  return opened.chat.settled();
}

/** `tool: TYPE` of each event, in order. */
export const lifecycle = (opened: TestWorld): string[] =>
  opened.toolEvents().map((event) => `${event.tool_name}: ${event.type.replace(/^TOOL_(EXECUTION_)?/, '')}`);

/** The results of the calls in the model's last request. */
export const results = (opened: TestWorld): unknown[] =>
  (opened.provider.requests.at(-1)?.messages ?? []).flatMap((m) =>
    m.role === 'tool' ? [JSON.parse(m.content) as unknown] : [],
  );
