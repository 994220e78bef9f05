import { forYouFirst, suggestionsFor, type ApprovalView, type Client, type WorldState } from '@countersign/client';
import type { EffectHost } from './effects/effect-host.js';
import { runEffect } from './effects/run-effect.js';
import type { Key } from './keys/key.js';
import { press } from './keys/press.js';
import { settle } from './keys/settle.js';
import { frameOf } from './layout/frame.js';
import { cardOf, planOf, transcriptOf, type Plan } from './layout/plan.js';
import type { Scene } from './layout/scene.js';
import type { Size } from './layout/areas.js';
import type { Line } from '../text/spans.js';
import { nothingMeasured } from './transcript/transcript-blocks.js';
import { windowOf } from './transcript/transcript-window.js';
import { NO_REPLIES, replied, takeReplies, type Replies } from './replies.js';
import { openSession } from './session.js';
import { ARMING_MS, initialUi, type Facts, type UiState } from './ui-state.js';

interface ControllerOptions {
  readonly client: Client;
  readonly worldId: string;
  readonly chatId: string | undefined;
  /** The reader's id. If it is unknown, it is taken from the first decision made here. */
  readonly me: string | undefined;
  readonly now: () => number;
  readonly size: () => Size;
  /** Called with the calls of the world that wait, when they may have changed. */
  readonly onWaiting: (world: WorldState) => void;
  /** Called when the screen has something new to show. */
  readonly onChange: () => void;
  readonly onLeave: () => void;
  /** Edits a call in the person's editor, if they have one. Undefined if it was not changed. */
  readonly edit?: ((call: ApprovalView) => Promise<Record<string, unknown> | undefined>) | undefined;
}

export interface Controller {
  /** The whole screen. */
  frame(): readonly Line[];
  press(key: Key): void;
  /** Redraws after a resize. */
  refresh(): void;
  /** True while the server is unreachable. */
  readonly isAway: () => boolean;
  retryNow(): void;
  close(): void;
}

const STORE_MS = 30;
const CLOCK_MS = 1000;
/** Distance from the first loaded line at which older messages are loaded. */
const NEAR_TOP = 10;
/** Distance from the last loaded approval at which more are loaded. */
const NEAR_END = 10;

/** Connects the stores, the UI state and the keyboard. */
export function createController(options: ControllerOptions): Controller {
  const { client, worldId, now, size } = options;
  const session = openSession(client, { worldId, chatId: options.chatId, onChange: changedSoon });
  let measured = nothingMeasured();
  let ui = initialUi(options.chatId);
  let replies: Replies = { ...NO_REPLIES, me: options.me };
  let frame: readonly Line[] | undefined;
  let soon: NodeJS.Timeout | undefined;
  let arming: NodeJS.Timeout | undefined;
  const clock = setInterval(() => {
    if (ui.card.current.kind !== 'none') changed();
  }, CLOCK_MS);

  function scene(): Scene {
    const world = forYouFirst(session.world());
    const chat = session.chat();
    const isEmpty = chat === undefined || (chat.loading.kind === 'ready' && chat.transcript.length === 0);
    return {
      ui,
      world,
      chat,
      size: size(),
      now: now(),
      measured,
      me: replies.me,
      suggestions: isEmpty ? suggestionsFor(world.agents, world.world?.mainAgent) : [],
    };
  }

  function factsOf(seen: Scene, plan: Plan): Facts {
    const { world, chat, suggestions } = seen;
    return {
      world,
      chat,
      now: seen.now,
      hasSide: plan.areas.side > 0,
      suggestions,
      hasEditor: options.edit !== undefined,
      card: cardOf(plan),
      help: plan.help,
      review: plan.review,
      undo: plan.undo,
      transcript: transcriptOf(plan),
    };
  }

  function changedSoon(): void {
    soon ??= setTimeout(() => {
      changed();
      // A call that was still running may be undone now.
      if (ui.overlay === 'undo' && ui.undo.kind === 'list') runEffect(host, { kind: 'list-undo' });
    }, STORE_MS);
  }

  function changed(): void {
    clearTimeout(soon);
    soon = undefined;
    const taken = takeReplies(replies, ui.card, session.world());
    ({ replies } = taken);
    ui = { ...ui, card: taken.card };
    options.onWaiting(session.world());
    const seen = scene();
    const plan = planOf(seen);
    show(settle(ui, factsOf(seen, plan)));
    loadOlderNearTop(plan, ['more']);
  }

  function show(next: UiState): void {
    ui = next;
    frame = undefined;
    if (ui.focus === 'card' && now() - ui.card.shownAt < ARMING_MS) {
      clearTimeout(arming);
      arming = setTimeout(changed, ARMING_MS - (now() - ui.card.shownAt) + 1);
    }
    options.onChange();
  }

  /** Retries a failed load only on a key press: otherwise, an unreachable server would be polled continuously. */
  function loadOlderNearTop({ blocks, areas }: Plan, when: readonly ('more' | 'failed')[]): void {
    const older = session.chat()?.older.kind;
    if (blocks === undefined || !when.some((kind) => kind === older)) return;
    const { first, lines } = windowOf(blocks, ui.scroll, areas.transcript);
    if ((ui.scroll.kind === 'at' && first < NEAR_TOP) || lines.length < areas.transcript) session.loadOlder();
  }

  /** Loads more of the queue near its loaded end. */
  function loadMoreNearEnd(): void {
    const { queue, laterApprovals } = session.world();
    const { current } = ui.card;
    if (laterApprovals === undefined || current.kind === 'none') return;
    if (queue.indexOf(current.id) >= queue.length - NEAR_END) session.loadLaterApprovals();
  }

  const host: EffectHost = {
    client,
    worldId,
    now,
    ui: () => ui,
    set: (next) => void (ui = next),
    show,
    refresh: changed,
    replied: (approvalId, reply) => void (replies = replied(replies, approvalId, reply)),
    openChat(chatId) {
      measured = nothingMeasured();
      session.openChat(chatId);
    },
    leave: options.onLeave,
    edit: options.edit ?? (() => Promise.resolve(undefined)),
  };

  return {
    frame() {
      if (frame === undefined) {
        const seen = scene();
        frame = frameOf(seen, planOf(seen));
      }
      return frame;
    },
    press(key) {
      // Use the last drawn frame: the person had not seen newer events when they pressed the key.
      const seen = scene();
      const facts = factsOf(seen, planOf(seen));
      ui = settle(ui, facts);
      const { ui: next, effects } = press(ui, key, facts);
      show(settle(next, facts));
      for (const effect of effects) runEffect(host, effect);
      loadOlderNearTop(planOf(scene()), ['more', 'failed']);
      loadMoreNearEnd();
    },
    refresh: changed,
    isAway: () => session.world().connection.kind === 'reconnecting',
    retryNow: () => session.retryNow(),
    close() {
      clearTimeout(soon);
      clearTimeout(arming);
      clearInterval(clock);
      session.close();
    },
  };
}
