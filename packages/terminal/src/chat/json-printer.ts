import { get, rowAt, sliceRows, type ChatState } from '@countersign/client';
import type { Printer } from './printer.js';

/**
 * Prints a chat as JSON Lines: `message`, `call` and `notice`, one per line, as they arrive. Answers are complete messages.
 */
export function createJsonPrinter(say: (value: object) => void): Printer {
  const known = new Set<string>();
  const watched = new Set<string>();
  const steps = new Map<string, string>();
  let notice = 0;

  function showMessages(state: ChatState): void {
    const rows: string[] = [];
    for (let at = state.transcript.length - 1; at >= 0; at -= 1) {
      const id = rowAt(state.transcript, at);
      if (id === undefined || known.has(id)) break;
      rows.unshift(id);
    }
    for (const id of rows) {
      known.add(id);
      const message = get(state.messages, id);
      if (message === undefined) continue;
      for (const call of message.invocationIds) watched.add(call);
      say({ type: 'message', ...message });
    }
  }

  return {
    skip(state) {
      for (const id of sliceRows(state.transcript)) known.add(id);
      for (const { eventId } of state.notices) notice = Math.max(notice, eventId);
    },
    skipMessage: () => undefined,
    show(state) {
      if (state.loading.kind !== 'ready') return;
      showMessages(state);
      for (const id of state.openInvocations) watched.add(id);
      for (const id of [...watched]) {
        const call = get(state.invocations, id);
        if (call === undefined || steps.get(id) === call.status.kind) continue;
        steps.set(id, call.status.kind);
        const { invocationId, toolName, agentId, arguments: args, status } = call;
        say({ type: 'call', invocationId, toolName, agentId, arguments: args, status });
        if (call.end !== undefined) watched.delete(id);
      }
      for (const { eventId, type, message } of state.notices) {
        if (eventId <= notice) continue;
        notice = eventId;
        say({ type: 'notice', level: type, message });
      }
    },
    hold: () => undefined,
    release: () => undefined,
    breakLine: () => undefined,
  };
}
