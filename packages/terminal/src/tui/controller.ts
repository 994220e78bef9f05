import {
  afterSigning,
  ClientError,
  forYouFirst,
  readAll,
  suggestionsFor,
  type Answer,
  type ApprovalView,
  type Client,
  needsPasskey,
} from '@countersign/client';
import { signingLink } from '../approvals/signing-link.js';
import { cardWords } from '../words/cards.js';
import type { ToolResultReply, UndoableCall } from '@countersign/protocol';
import type { Picture } from './app.js';
import { holdCovered, matchOf } from './confirm-covered.js';
import { prependToDraft } from './keys/drafts.js';
import type { Key } from './keys/key.js';
import { press } from './keys/press.js';
import { settle } from './keys/settle.js';
import { frameOf } from './layout/frame.js';
import { cardOf, planOf, transcriptOf, type Plan } from './layout/plan.js';
import type { Scene } from './layout/scene.js';
import type { Size } from './layout/areas.js';
import type { Line } from './layout/spans.js';
import { nothingMeasured } from './layout/transcript-blocks.js';
import { windowOf } from './layout/transcript-window.js';
import { NO_REPLIES, replied, takeReplies, type Replies } from './replies.js';
import { openSession } from './session.js';
import { screenWords } from '../words/screen.js';
import { ARMING_MS, initialUi, type Effect, type Facts, type UiState, type UndoUi } from './ui-state.js';

export interface ControllerOptions {
  readonly client: Client;
  readonly worldId: string;
  readonly chatId: string | undefined;
  /** The reader's id. If it is unknown, it is taken from the first decision made here. */
  readonly me: string | undefined;
  readonly hasColour: boolean;
  readonly now: () => number;
  readonly size: () => Size;
  readonly onLeave: () => void;
}

export interface Controller {
  readonly picture: Picture;
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
  const listeners = new Set<() => void>();
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
      card: cardOf(plan),
      help: plan.help,
      undo: plan.undo,
      transcript: transcriptOf(plan),
    };
  }

  function changedSoon(): void {
    soon ??= setTimeout(changed, STORE_MS);
  }

  function changed(): void {
    clearTimeout(soon);
    soon = undefined;
    const taken = takeReplies(replies, ui.card, session.world());
    ({ replies } = taken);
    ui = { ...ui, card: taken.card };
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
    for (const listener of listeners) listener();
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

  function run(effect: Effect): void {
    switch (effect.kind) {
      case 'leave':
        options.onLeave();
        return;
      case 'open-chat':
        openChat(effect.chatId);
        return;
      case 'send':
        send(effect.text, ui.chatId).catch(complain);
        return;
      case 'stop':
        if (ui.chatId !== undefined) {
          client.stop(worldId, ui.chatId).then(() => say('Stopped.', false), complain);
        }
        return;
      case 'decide': {
        decide(effect.approval, effect.answer).catch((error: unknown) => {
          ui = { ...ui, card: { ...ui.card, sending: without(effect.approval.approvalId) } };
          complain(error);
        });
        return;
      }
      case 'reveal': {
        const id = effect.approvalId;
        client.reveal(worldId, id).then((call) => {
          // The revealed call is longer: its end must be seen again before it can be approved.
          const card = { ...ui.card, scroll: 0, isSeen: false, choice: { kind: 'none' } as const };
          show({ ...ui, card: { ...card, revealed: { id, arguments: call.arguments } } });
        }, complain);
        return;
      }
      case 'list-undo':
        listUndo().catch(failUndo);
        return;
      case 'preview-undo':
        previewUndo(effect.call).catch(failUndo);
        return;
      case 'undo':
        undo(effect.call, effect.effectHash).catch(failUndo);
        return;
      case 'answer': {
        const { approval, words } = effect;
        answered(approval.approvalId, client.answer(worldId, { toolCallId: approval.approvalId, content: words }));
        return;
      }
    }
  }

  /** Shows a step of undoing, unless the person has closed it in the meantime. */
  function showUndo(step: UndoUi): void {
    if (ui.overlay === 'undo') show({ ...ui, undo: step });
  }

  function failUndo(error: unknown): void {
    if (ui.overlay === 'undo') ui = { ...ui, overlay: 'none' };
    complain(error);
  }

  async function listUndo(): Promise<void> {
    const all = await readAll((page) => client.undoable(worldId, page));
    showUndo({ kind: 'list', calls: all.filter(({ chatId }) => chatId === ui.chatId), picked: 0 });
  }

  async function previewUndo(call: UndoableCall): Promise<void> {
    const preview = await client.previewUndo(worldId, call.toolCallId);
    showUndo({ kind: 'preview', call, preview, scroll: 0, shownAt: now() });
  }

  async function undo(call: UndoableCall, effectHash: string): Promise<void> {
    try {
      await client.undo(worldId, call.toolCallId, effectHash);
      if (ui.overlay === 'undo') ui = { ...ui, overlay: 'none' };
      say(screenWords.undo.done, false);
    } catch (error) {
      // Shows what is in conflict, or what undoing it would do now.
      await previewUndo(call);
      complain(error);
    }
  }

  function openChat(chatId: string | undefined): void {
    measured = nothingMeasured();
    session.openChat(chatId);
  }

  /** A message that failed is put back into the draft of its chat. */
  async function send(text: string, writtenIn: string | undefined): Promise<void> {
    let chatId = writtenIn;
    try {
      chatId ??= await makeChat();
      await client.send(worldId, chatId, { content: text });
    } catch (error) {
      show(prependToDraft(ui, chatId, text));
      complain(error);
    }
  }

  async function makeChat(): Promise<string> {
    const { id } = await client.createChat(worldId);
    // If the person has opened another chat in the meantime, stay there.
    if (ui.chatId === undefined) {
      show({ ...ui, chatId: id });
      openChat(id);
    }
    return id;
  }

  async function decide(approval: ApprovalView, answer: Answer): Promise<void> {
    if (answer.decision === 'approve' && needsPasskey(approval.needs)) {
      const link = await signingLink(client, worldId, approval.chatId);
      // The card stays, and shows the decision when it was made in the browser.
      ui = { ...ui, card: { ...ui.card, sending: without(approval.approvalId) } };
      say(cardWords.signLink(link), false);
      return;
    }
    const wanted = matchOf(approval, answer);
    if (wanted !== undefined) {
      const { waiting } = await client.policyMatches(worldId, wanted);
      const card = holdCovered(ui.card, approval, answer, waiting, now());
      if (card !== undefined) {
        show({ ...ui, card });
        return;
      }
    }
    const edit = answer.arguments === undefined ? undefined : approval;
    answered(approval.approvalId, client.decide(worldId, approval, { ...answer, chatId: approval.chatId }), edit);
  }

  function without(approvalId: string): ReadonlySet<string> {
    return new Set([...ui.card.sending].filter((id) => id !== approvalId));
  }

  function answered(approvalId: string, sent: Promise<ToolResultReply>, edit?: ApprovalView): void {
    sent.then(
      (reply) => {
        if (reply.state === 'asked') {
          // The call needs more signatures, so its card stays.
          ui = { ...ui, card: { ...ui.card, sending: without(approvalId) } };
          say(afterSigning(reply.kind !== 'recorded'), false);
          return;
        }
        replies = replied(replies, approvalId, reply);
        if (reply.kind === 'recorded')
          ui = {
            ...ui,
            card: { ...ui.card, sending: without(approvalId), taken: new Set([...ui.card.taken, approvalId]) },
          };
        changed();
      },
      (error: unknown) => {
        ui = { ...ui, card: { ...ui.card, sending: without(approvalId) } };
        if (edit !== undefined && error instanceof ClientError && error.status === 409 && error.state === 'asked') {
          ui = { ...ui, card: { ...ui.card, edits: [...(ui.card.edits ?? []), edit] } };
          say(error.detail, false);
          return;
        }
        // The call was decided elsewhere: the card names the person when the event arrives.
        if (error instanceof ClientError && error.status === 409) changed();
        else complain(error);
      },
    );
  }

  function say(text: string, isBad: boolean): void {
    show({ ...ui, status: { text, isBad } });
  }

  function complain(error: unknown): void {
    say(error instanceof ClientError ? error.detail : error instanceof Error ? error.message : String(error), true);
  }

  return {
    picture: {
      hasColour: options.hasColour,
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      getFrame() {
        if (frame === undefined) {
          const seen = scene();
          frame = frameOf(seen, planOf(seen));
        }
        return frame;
      },
    },
    press(key) {
      // Use the last drawn frame: the person had not seen newer events when they pressed the key.
      const seen = scene();
      const facts = factsOf(seen, planOf(seen));
      ui = settle(ui, facts);
      const { ui: next, effects } = press(ui, key, facts);
      show(settle(next, facts));
      for (const effect of effects) run(effect);
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
