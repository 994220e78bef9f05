import { agentName, get, rowAt, type ChatState, type Notice, type WorldState } from '@countersign/client';
import type { UiState, Unsent } from '../ui-state.js';
import { messageLines, noticeLines, streamLines, unsentLines, viewOf, type MessageView } from './message-lines.js';
import type { Line } from '../../text/spans.js';
import type { Blocks } from './transcript-window.js';

/** A cache of laid-out messages by id, one per chat. */
export interface Measured {
  readonly kept: Map<string, { view: MessageView; key: string; lines: readonly Line[] }>;
  /** Number of messages laid out so far. */
  count: number;
}

/** The cache size. */
const MAX_KEPT = 1500;

export function nothingMeasured(): Measured {
  return { kept: new Map(), count: 0 };
}

interface BlocksOptions {
  readonly width: number;
  /** Whether the full output of calls is shown. */
  readonly isWide: boolean;
  readonly now: number;
  /** This person's name in decisions, once known. */
  readonly me: string | undefined;
  readonly mainAgent?: string | undefined;
  readonly unsent?: readonly Unsent[];
}

/** Messages of this chat that wait for a server that is away. While it is there, they are in the transcript at once. */
export function unsentIn({ ui, world }: { ui: UiState; world: WorldState }): readonly Unsent[] {
  return world.connection.kind === 'open' ? [] : ui.unsent.filter(({ chatId }) => chatId === ui.chatId);
}

/** The transcript of a chat as blocks: its messages, then the answers being streamed, then messages that are not sent yet. */
export function transcriptBlocks(
  state: ChatState,
  measured: Measured,
  { width, isWide, now, me, mainAgent, unsent = [] }: BlocksOptions,
): Blocks {
  const { transcript, streams } = state;
  const notices = noticesByMessage(state.notices);
  const before = notices.get('') ?? [];
  // Notices before the first message form a separate block.
  const lead = before.length === 0 ? 0 : 1;
  const messageCount = transcript.length;
  const later = lead + messageCount + streams.length;
  const count = later + unsent.length;
  const day = new Date(now).toDateString();
  return {
    count,
    idAt(index) {
      if (index < lead) return 'notices';
      return (
        rowAt(transcript, index - lead) ?? streams[index - lead - messageCount]?.messageId ?? `unsent:${index - later}`
      );
    },
    indexOf(id) {
      if (id === 'notices') return lead === 1 ? 0 : undefined;
      for (const [at, chunk] of transcript.chunks.entries()) {
        const within = chunk.indexOf(id);
        if (within >= 0) return lead + (transcript.starts[at] ?? 0) + within;
      }
      const spoken = streams.findIndex(({ messageId }) => messageId === id);
      if (spoken >= 0) return lead + messageCount + spoken;
      const waiting = unsent.findIndex((_, at) => id === `unsent:${at}`);
      return waiting < 0 ? undefined : later + waiting;
    },
    linesAt(index) {
      if (index < lead) return [...before.flatMap((notice) => noticeLines(notice, width)), []];
      const message = get(state.messages, rowAt(transcript, index - lead) ?? '');
      if (message === undefined) {
        const stream = streams[index - lead - messageCount];
        if (stream === undefined) return unsentLines(unsent.slice(index - later, index - later + 1), width);
        const name = stream.agentId === undefined ? stream.agentName : agentName(state, stream.agentId);
        return streamLines(stream, name, width, isWide);
      }
      const view = viewOf(state, message, notices.get(message.messageId) ?? NONE, mainAgent);
      const key = `${width} ${isWide} ${day} ${me}`;
      const known = measured.kept.get(message.messageId);
      if (known !== undefined && known.key === key && isSame(known.view, view)) return known.lines;
      const lines = messageLines(view, width, { now, isWide, me });
      measured.count += 1;
      measured.kept.delete(message.messageId);
      measured.kept.set(message.messageId, { view, key, lines });
      for (const oldest of measured.kept.keys()) {
        if (measured.kept.size <= MAX_KEPT) break;
        measured.kept.delete(oldest);
      }
      return lines;
    },
  };
}

const NONE: readonly Notice[] = [];

function noticesByMessage(notices: readonly Notice[]): Map<string, readonly Notice[]> {
  const found = new Map<string, readonly Notice[]>();
  for (const notice of notices) {
    const at = notice.afterMessageId ?? '';
    found.set(at, [...(found.get(at) ?? []), notice]);
  }
  return found;
}

/** State is immutable, so unchanged parts are identical. */
function isSame(a: MessageView, b: MessageView): boolean {
  if (a.message !== b.message || a.name !== b.name || a.held !== b.held || a.calls.length !== b.calls.length)
    return false;
  if (a.notices.length !== b.notices.length || a.notices.at(-1) !== b.notices.at(-1)) return false;
  return a.calls.every((call, index) => {
    const other = b.calls[index];
    return (
      other !== undefined &&
      call.invocation === other.invocation &&
      call.approval === other.approval &&
      call.output === other.output &&
      call.place === other.place
    );
  });
}
