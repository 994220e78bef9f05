import {
  after,
  argumentsWithHosts,
  chatPattern,
  get,
  hostsToAllow,
  yourPart,
  type Answer,
  type ApprovalView,
} from '@countersign/client';
import { formAnswer } from '@countersign/protocol';
import { actionFor, offeredActions, type CardAction } from '../../card/card-keys.js';
import { isArmed, isWriting, type CardUi, type Choice, type Facts, type Pressed, type UiState } from '../ui-state.js';
import { edit, EMPTY_FIELD, fieldOf } from './field.js';
import { contentOf, newForm, pressInForm } from './form.js';
import type { Key } from './key.js';
import { editable, readEdited } from '../../card/edit-call-text.js';
import { openReview } from './press-review.js';
import { focusOn, settle, showing } from './settle.js';
import { screenWords } from '../../words/screen.js';

const NOTHING: Choice = { kind: 'none' };

/** Handles a key while the card has the focus. Unknown keys do nothing (CALL15). */
export function pressOnCard(ui: UiState, key: Key, facts: Facts): Pressed {
  const { current, choice } = ui.card;
  if (current.kind === 'none') return only(ui);
  const approval = get(facts.world.approvals, current.id);
  const scrolled = scrollCard(ui, key, facts, isWriting(choice));
  if (scrolled !== undefined) return only(scrolled);
  if (current.kind === 'held') return pressOnHeld(ui, key, facts);
  if (choice.kind === 'form' && approval !== undefined) return pressOnForm(ui, key, facts, approval, choice);
  if (isName(key, 'escape')) {
    return only(choice.kind === 'none' ? focusOn(ui, 'composer', facts.now) : choose(ui, NOTHING));
  }
  // If no line of the call is visible, nobody can see what they would approve.
  if (approval === undefined || facts.card.height < 1) return only(ui);
  if (facts.card.isCut && choice.kind !== 'none' && choice.kind !== 'deny') return only(choose(ui, NOTHING));
  if ('field' in choice) return pressInField(ui, key, facts, approval, choice);
  if (key.kind === 'char' && (key.text === 'n' || key.text === 'N')) {
    return only(showNext(ui, facts, key.text === 'n' ? 1 : -1));
  }
  if (!isArmed(ui.card, facts.now)) return only(ui);
  if (isName(key, 'enter')) return confirm(ui, approval);
  if (key.kind !== 'char') return only(ui);
  const { isCut } = facts.card;
  const offered = offeredActions(approval, {
    part: yourPart(approval, facts.world.me),
    isCut,
    hasOthers: false,
    hasMore: false,
  });
  if (key.text === 'l') return only(widen(ui, approval));
  if (key.text === 'f') return openReview(choose(ui, NOTHING), approval);
  const action = key.text.length === 1 ? actionFor(key.text, offered) : undefined;
  const isAnswering = offered.includes('answer');
  if (isAnswering && /^[1-9]$/.test(key.text)) return only(pickAnswer(ui, approval, Number(key.text)));
  if (action === undefined) return only(ui);
  if (SIGNS.has(action) && !ui.card.isSeen)
    return only({ ...ui, status: { text: screenWords.scrollFirst, isBad: true } });
  return take(ui, approval, action, facts);
}

/** Actions for which the person must have seen the whole call. */
const SIGNS: ReadonlySet<CardAction> = new Set(['once', 'session', 'always', 'edit', 'hosts']);

/** Does what is offered, or selects it for Enter. */
function take(ui: UiState, approval: ApprovalView, action: CardAction, { hasEditor }: Facts): Pressed {
  switch (action) {
    case 'deny':
      return only(choose(ui, { kind: 'deny', field: EMPTY_FIELD }));
    case 'answer': {
      const form = approval.question?.form;
      if (form === undefined) return only(choose(ui, { kind: 'answer', field: EMPTY_FIELD }));
      return only(choose(ui, { kind: 'form', draft: newForm(form.fields) }));
    }
    case 'once':
      return only(choose(ui, { kind: 'once' }));
    case 'session':
      return only(choose(ui, { kind: 'session', isNarrow: true }));
    case 'always':
      return only(choose(ui, { kind: 'always', field: fieldOf(approval.proposedRule ?? '') }));
    case 'edit':
      if (hasEditor) return { ui, effects: [{ kind: 'edit', approval }] };
      return only(choose(ui, { kind: 'edit', field: fieldOf(editable(approval)) }));
    case 'hosts': {
      // Nothing runs: the call is shown again with the hosts (CHANGE8.6).
      const hosts = argumentsWithHosts(approval.arguments, hostsToAllow(approval));
      return decided(ui, approval, { decision: 'approve', arguments: hosts });
    }
    case 'reveal':
      return { ui, effects: [{ kind: 'reveal', approvalId: approval.approvalId }] };
    case 'more':
    case 'next':
      return only(ui);
  }
}

/** Switches between calls like this one and every call. */
function widen(ui: UiState, approval: ApprovalView): UiState {
  const { choice } = ui.card;
  if (choice.kind !== 'session' || approval.session?.any !== true) return ui;
  return choose(ui, { kind: 'session', isNarrow: !choice.isNarrow });
}

function pickAnswer(ui: UiState, { question }: ApprovalView, number: number): UiState {
  const picked = question?.choices[number - 1];
  return picked === undefined ? ui : choose(ui, { kind: 'answer', field: fieldOf(picked) });
}

function showNext(ui: UiState, { world, now }: Facts, step: 1 | -1): UiState {
  const { current } = ui.card;
  const next = current.kind === 'none' ? world.queue[0] : after(world.queue, current.id, step);
  if (next === undefined) return ui;
  return { ...ui, card: showing(ui.card, { kind: 'open', id: next }, now) };
}

function pressOnHeld(ui: UiState, key: Key, facts: Facts): Pressed {
  const isSeen = isName(key, 'enter') || isName(key, 'escape') || (key.kind === 'char' && key.text === 'n');
  if (!isSeen) return only(ui);
  return only(settle({ ...ui, card: showing(ui.card, { kind: 'none' }, facts.now) }, facts));
}

/** Enter confirms the selected choice, or nothing. */
function confirm(ui: UiState, approval: ApprovalView): Pressed {
  const { choice } = ui.card;
  switch (choice.kind) {
    case 'once':
      return decided(ui, approval, { decision: 'approve', scope: 'once' });
    case 'session': {
      const pattern = choice.isNarrow ? chatPattern(approval) : '*';
      if (pattern === undefined) return only(ui);
      return decided(ui, approval, { decision: 'approve', scope: 'session', pattern });
    }
    case 'none':
      return only({ ...ui, status: { text: screenWords.nothingChosen, isBad: false } });
    case 'deny':
    case 'always':
    case 'edit':
    case 'answer':
    case 'form':
      return only(ui);
  }
}

function pressInField(
  ui: UiState,
  key: Key,
  { now }: Facts,
  approval: ApprovalView,
  choice: Extract<Choice, { field: unknown }>,
): Pressed {
  if (!isName(key, 'enter')) {
    const field = edit(choice.field, key);
    if (field === undefined) return only(ui);
    const { kind } = choice;
    return only(choose(ui, { kind, field }));
  }
  if (!isArmed(ui.card, now)) return only(ui);
  const written = choice.field.text.trim();
  switch (choice.kind) {
    case 'deny':
      return decided(ui, approval, { decision: 'deny', ...(written === '' ? {} : { reason: written }) });
    case 'always':
      if (written === '') return only(ui);
      return decided(ui, approval, { decision: 'approve', scope: 'always', rule: written });
    case 'edit': {
      const read = readEdited(approval, choice.field.text);
      if ('problem' in read) return only(choose(ui, { ...choice, problem: read.problem }));
      return decided(ui, approval, { decision: 'approve', scope: 'once', arguments: read.arguments });
    }
    case 'answer':
      if (written === '') return only(ui);
      return { ui: onTheWay(ui, approval), effects: [{ kind: 'answer', approval, words: written }] };
  }
}

/** A form is sent only after its last field, by an Enter that does nothing else. */
function pressOnForm(
  ui: UiState,
  key: Key,
  { now, card }: Facts,
  approval: ApprovalView,
  { draft }: Extract<Choice, { kind: 'form' }>,
): Pressed {
  const fields = approval.question?.form?.fields ?? [];
  if (card.height < 1 || !isArmed(ui.card, now)) return only(isName(key, 'escape') ? choose(ui, NOTHING) : ui);
  const step = pressInForm(fields, draft, key);
  switch (step.kind) {
    case 'left':
      return only(choose(ui, NOTHING));
    case 'draft':
      return only(choose(ui, { kind: 'form', draft: step.draft }));
    case 'send': {
      const words = formAnswer(contentOf(fields, draft));
      return { ui: onTheWay(ui, approval), effects: [{ kind: 'answer', approval, words }] };
    }
  }
}

function decided(ui: UiState, approval: ApprovalView, answer: Answer): Pressed {
  return { ui: onTheWay(ui, approval), effects: [{ kind: 'decide', approval, answer }] };
}

function onTheWay(ui: UiState, { approvalId }: ApprovalView): UiState {
  const sending = new Set([...ui.card.sending, approvalId]);
  return { ...ui, card: { ...ui.card, sending, choice: NOTHING }, status: undefined };
}

function choose(ui: UiState, choice: Choice): UiState {
  return { ...ui, card: { ...ui.card, choice, covered: undefined }, status: undefined };
}

function scrollCard(ui: UiState, key: Key, { card }: Facts, isWriting: boolean): UiState | undefined {
  const by = scrollStep(key, isWriting, Math.max(1, card.height - 1));
  if (by === undefined) return undefined;
  const most = Math.max(0, card.length - card.height);
  const scroll = Math.min(most, Math.max(0, Math.min(most, ui.card.scroll) + by));
  const changed: CardUi = { ...ui.card, scroll };
  return { ...ui, card: changed };
}

function scrollStep(key: Key, isWriting: boolean, page: number): number | undefined {
  if (isName(key, 'pageup')) return -page;
  if (isName(key, 'pagedown')) return page;
  if (isWriting) return undefined;
  if (isName(key, 'up') || isChar(key, 'k')) return -1;
  if (isName(key, 'down') || isChar(key, 'j')) return 1;
  if (isName(key, 'home')) return -Infinity;
  return isName(key, 'end') ? Infinity : undefined;
}

function isName(key: Key, name: string): boolean {
  return key.kind === 'name' && key.name === name;
}

function isChar(key: Key, text: string): boolean {
  return key.kind === 'char' && key.text === text;
}

function only(ui: UiState): Pressed {
  return { ui, effects: [] };
}
