import { scripted, type ScriptedCall, type ScriptedProvider } from '@countersign/core/testing';

/**
 * A model that obeys a person's message: `call shell_cmd {"command":"ls"}` lines are calls of one response, after which
 * it reports their results; `say …` is said, after a `think …` line with thinking; an answer of `start …` never ends; anything else is
 * answered with "ok".
 */
export function obedientModel(): ScriptedProvider {
  return scripted(
    ({ messages, onChunk }) => {
      const at = messages.findLastIndex(({ role, content }) => role === 'user' && !content.startsWith('['));
      const told = (messages[at]?.content ?? '').replace(/^human: /, '');
      const results = messages.slice(at + 1).flatMap((message) => (message.role === 'tool' ? [message.content] : []));
      if (results.length > 0) return `Finished. ${results.map(toText).join(' / ')}`;
      const started = /^start (?<words>.*)$/m.exec(told)?.groups?.['words'];
      if (started !== undefined) {
        // Long enough that not all of it is held back as the possible start of a secret.
        onChunk(`${started}. `.repeat(50));
        return new Promise<never>(() => undefined);
      }
      const said = /^say (?<words>[\s\S]*)/m.exec(told)?.groups?.['words'];
      const thinking = /^think (?<thoughts>.*)$/m.exec(told)?.groups?.['thoughts'];
      if (said !== undefined) {
        const usage = { inputTokens: 1200, outputTokens: 34 };
        return { say: said, usage, ...(thinking === undefined ? {} : { thinking }) };
      }
      const calls = [...told.matchAll(/^call (?<name>[\w-]+) (?<args>\{.*\})$/gm)].map(({ groups }): ScriptedCall => ({
        name: groups?.['name'] ?? '',
        arguments: JSON.parse(groups?.['args'] ?? '{}') as Record<string, unknown>,
      }));
      return calls.length === 0 ? 'ok' : { say: 'I would do this:', calls };
    },
    { name: 'obedient' },
  );
}

function toText(result: string): string {
  const parsed: unknown = JSON.parse(result);
  if (typeof parsed !== 'object' || parsed === null) return String(parsed);
  if ('reason' in parsed) return `denied: ${String(parsed.reason)}`;
  if ('error' in parsed && String(parsed.error).startsWith('User denied')) return 'denied';
  if ('error' in parsed) return `failed: ${String(parsed.error).slice(0, 80)}`;
  return 'done';
}
