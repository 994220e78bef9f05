import type { GenerateRequest, ModelMessage } from '@countersign/core/ports';
import { scripted, type ScriptedProvider, type ScriptedReply } from '@countersign/core/testing';

/** The demo world's model. It needs no key, and its output depends only on its input, so it continues after any restart. */
export function harbourModel(): ScriptedProvider {
  return scripted(
    (request) => (speaks(request, 'Mason') ? mason(lastExchange(request)) : scout(lastExchange(request))),
    { title },
  );
}

/** Depends on the first request, so that the three demo chats get different titles. */
function title({ messages }: GenerateRequest): string {
  const asked = messages.find(({ role }) => role === 'user')?.content.toLowerCase() ?? '';
  if (asked.includes('crew')) return 'Count the crew';
  if (asked.includes('tide')) return 'Watch the tide';
  return 'Tidy the notes folder';
}

/** The last request from a person, and the results of the calls since then. */
interface Exchange {
  asked: string;
  results: readonly Record<string, unknown>[];
}

function speaks({ messages }: GenerateRequest, name: string): boolean {
  return messages[0]?.content.includes(`You are ${name}.`) === true;
}

function lastExchange({ messages }: GenerateRequest): Exchange {
  const at = messages.findLastIndex((message) => message.role === 'user' && message.name !== 'system');
  return {
    asked: messages[at]?.content.toLowerCase() ?? '',
    results: messages.slice(at + 1).flatMap(readResult),
  };
}

function readResult(message: ModelMessage): Record<string, unknown>[] {
  if (message.role !== 'tool') return [];
  const parsed: unknown = JSON.parse(message.content);
  return typeof parsed === 'object' && parsed !== null ? [{ ...parsed }] : [];
}

function scout({ asked, results }: Exchange): ScriptedReply {
  if (asked.includes('crew')) return '@Mason please count the lines of notes/crew.md.';
  if (asked.includes('tide')) return '@Mason please watch the tide for a minute.';
  if (!asked.includes('tidy')) {
    return 'I keep the notes of this harbour. Ask me to tidy the notes folder, to count the crew, or to watch the tide.';
  }
  if (results.length === 0) {
    return {
      say: 'Let me look first.',
      calls: [
        { name: 'list_files', arguments: { path: 'notes' } },
        { name: 'read_file', arguments: { path: 'notes/crew.md' } },
      ],
    };
  }
  const listed = JSON.stringify(results[0]);
  const scratch = new Set(listed.match(/scratch-\d\.tmp/g)).size;
  const notes = new Set(listed.match(/[\w-]+\.md/g)).size;
  if (scratch === 0) return `Nothing to tidy: ${notes} notes and no scratch files.`;
  return `Found ${notes} notes, and ${scratch} files that look like scratch.\n\n@Mason please write a summary, move the logs to an archive and remove the scratch files.`;
}

const SUMMARY = '# Notes of the harbour\n\nBerths, crew and tides; the logs are in archive/.\n';

function mason({ asked, results }: Exchange): ScriptedReply {
  if (asked.includes('crew')) {
    if (results.length === 0) return { calls: [{ name: 'shell_cmd', arguments: { command: 'wc -l notes/crew.md' } }] };
    const count = /(\d+) notes\/crew\.md/.exec(JSON.stringify(results[0]))?.[1];
    const step = count === undefined ? 'counted the crew' : `counted the crew: ${count}`;
    return `@human ${summarize(results, [step])}`;
  }
  if (asked.includes('tide')) {
    const command = 'for minute in $(seq 60); do echo "tide at $minute"; sleep 1; done';
    if (results.length === 0)
      return { say: 'This takes a minute.', calls: [{ name: 'shell_cmd', arguments: { command } }] };
    return `@human ${summarize(results, ['watched the tide'])}`;
  }
  if (results.length === 0) {
    return {
      say: 'I would do three things:',
      calls: [
        { name: 'write_file', arguments: { path: 'notes/summary.md', content: SUMMARY } },
        { name: 'shell_cmd', arguments: { command: 'mkdir -p notes/archive && mv notes/*-log.md notes/archive/' } },
        { name: 'shell_cmd', arguments: { command: 'rm notes/scratch-*.tmp' } },
      ],
    };
  }
  return `@human ${summarize(results, ['wrote the summary', 'moved the logs', 'removed the scratch files'])}`;
}

/** Reports the actual result of each call, not the intended one. */
function summarize(results: readonly Record<string, unknown>[], steps: readonly string[]): string {
  const done = steps.filter((_, index) => results[index]?.['error'] === undefined);
  const left = steps.flatMap((step, index) => {
    const result = results[index];
    if (result?.['error'] === undefined) return [];
    const why = typeof result['reason'] === 'string' ? result['reason'] : result['error'];
    return [`${step} (${typeof why === 'string' ? why : 'failed'})`];
  });
  const first = done.length === 0 ? 'I did none of it' : `I ${listed(done)}`;
  return left.length === 0 ? `${first}. All done.` : `${first}. Not done: ${left.join('; ')}.`;
}

function listed(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}
