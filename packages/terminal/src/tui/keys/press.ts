import { complete, matching, mentionAt, externalAgent, whoAnswers } from '@countersign/client';
import { matchingSlash, readSlashCommand, type SlashCommand } from '../../chat/slash-commands.js';
import { cardWords } from '../../words/cards.js';
import { isWriting, type Effect, type Facts, type Focus, type Pressed, type UiState } from '../ui-state.js';
import { changeDraft } from './drafts.js';
import { edit, EMPTY_FIELD, fieldOf } from './field.js';
import type { Key, KeyName } from './key.js';
import { pressOnCard } from './press-card.js';
import { pressInReview } from './press-review.js';
import { openUndo, pressInUndo } from './press-undo.js';
import { focusOn } from './settle.js';

/** Handles a key. Pure: side effects are returned. */
export function press(before: UiState, key: Key, facts: Facts): Pressed {
  const ui = before.status === undefined ? before : { ...before, status: undefined };
  if (key.kind === 'ctrl' && key.letter === 'c') return leave(ui);
  if (ui.overlay === 'help') return only(pressInHelp(ui, key, facts));
  if (ui.overlay === 'leave') return answerLeaving(ui, key);
  if (ui.overlay === 'undo') return pressInUndo(ui, key, facts);
  if (ui.overlay === 'review') return only(pressInReview(ui, key, facts));
  // In a form, Tab goes to the next field; elsewhere, it would leave the card and discard the form.
  const isTab = key.kind === 'name' && (key.name === 'tab' || key.name === 'backtab');
  if (isTab && ui.focus === 'card' && ui.card.choice.kind === 'form') return pressOnCard(ui, key, facts);
  const writes = ui.focus === 'composer' || (ui.focus === 'card' && isWriting(ui.card.choice));
  return (
    (writes ? undefined : pressAnywhere(ui, key, facts)) ?? pressControl(ui, key, facts) ?? pressHere(ui, key, facts)
  );
}

/** Scrolls the help if it doesn't fit; any other key closes it. */
function pressInHelp(ui: UiState, key: Key, { help }: Facts): UiState {
  const most = Math.max(0, help.length - help.height);
  const by = most === 0 ? undefined : helpStep(key, Math.max(1, help.height - 1));
  if (by === undefined) return { ...ui, overlay: 'none', helpScroll: 0 };
  return { ...ui, helpScroll: Math.min(most, Math.max(0, ui.helpScroll + by)) };
}

function helpStep(key: Key, page: number): number | undefined {
  if (key.kind === 'char') return { j: 1, k: -1, g: -Infinity, G: Infinity }[key.text];
  if (key.kind !== 'name') return undefined;
  const steps: Partial<Record<KeyName, number>> = {
    up: -1,
    down: 1,
    pageup: -page,
    pagedown: page,
    home: -Infinity,
    end: Infinity,
  };
  return steps[key.name];
}

function pressHere(ui: UiState, key: Key, facts: Facts): Pressed {
  switch (ui.focus) {
    case 'card':
      return pressOnCard(ui, key, facts);
    case 'composer':
      return pressInComposer(ui, key, facts);
    case 'transcript':
      return pressInTranscript(ui, key, facts);
    case 'chats':
      return pressInChats(ui, key, facts);
  }
}

function answerLeaving(ui: UiState, key: Key): Pressed {
  if (key.kind === 'char' && key.text === 'y') return { ui, effects: [{ kind: 'leave' }] };
  const isNo = (key.kind === 'char' && key.text === 'n') || (key.kind === 'name' && key.name === 'escape');
  return only(isNo ? { ...ui, overlay: 'none' } : ui);
}

/** Asks first if a draft or a message would be lost. */
function leave(ui: UiState): Pressed {
  const hasText = [ui.composer, ...ui.drafts.values(), ...ui.unsent].some(({ text }) => text.trim() !== '');
  if (hasText && ui.overlay !== 'leave') return only({ ...ui, overlay: 'leave' });
  return { ui, effects: [{ kind: 'leave' }] };
}

/** Shortcuts that work wherever no text is entered. */
function pressAnywhere(ui: UiState, key: Key, facts: Facts): Pressed | undefined {
  if (key.kind !== 'char') return undefined;
  switch (key.text) {
    case '?':
      return only({ ...ui, overlay: 'help' });
    case 'q':
      return leave(ui);
    case 'i':
      return only(focusOn(ui, 'composer', facts.now));
    case 'n':
    case 'N': {
      if (ui.focus === 'card') return undefined;
      return only(ui.card.current.kind === 'none' ? ui : focusOn(ui, 'card', facts.now));
    }
    default:
      return undefined;
  }
}

function pressControl(ui: UiState, key: Key, facts: Facts): Pressed | undefined {
  if (key.kind === 'name') {
    const { name }: { name: string } = key;
    switch (name) {
      case 'f1':
        return only({ ...ui, overlay: 'help' });
      case 'tab':
      case 'backtab':
        return moveFocus(ui, name, facts);
      case 'pageup':
      case 'pagedown':
        return ui.focus === 'card' ? undefined : only(scrollPage(ui, name === 'pageup' ? -1 : 1, facts));
      default:
        return undefined;
    }
  }
  if (key.kind !== 'ctrl') return undefined;
  switch (key.letter) {
    case 'n':
      return openChat(ui, undefined, facts);
    case 'x':
      return stop(ui);
    case 'p':
      return only(toggleChats(ui, facts));
    case 'g':
      return only(ui.card.current.kind === 'none' ? ui : focusOn(ui, 'card', facts.now));
    default:
      return undefined;
  }
}

function moveFocus(ui: UiState, way: 'tab' | 'backtab', facts: Facts): Pressed | undefined {
  if (ui.focus === 'composer' && way === 'tab') {
    const field = completion(ui, facts) ?? fixedMention(ui, facts);
    if (field !== undefined) return only({ ...ui, composer: field });
  }
  // In a field, the shortcut would take the person away from their text.
  if (ui.focus === 'card' && 'field' in ui.card.choice) return only(ui);
  const ring: Focus[] = ['composer'];
  if (ui.card.current.kind !== 'none') ring.push('card');
  ring.push('transcript');
  if (facts.hasSide || ui.isSideOpen) ring.push('chats');
  const next = ring.at((ring.indexOf(ui.focus) + (way === 'tab' ? 1 : -1)) % ring.length);
  return only(focusOn(ui, next ?? 'composer', facts.now));
}

function completion({ composer }: UiState, { world }: Facts): UiState['composer'] | undefined {
  const [command] = matchingSlash(composer.text, 'screen');
  if (command !== undefined && command !== composer.text) return fieldOf(command);
  const mention = mentionAt(composer.text, composer.cursor);
  const name = mention === undefined ? undefined : matching(world.agents, mention.typed)[0]?.name;
  return mention === undefined || name === undefined
    ? undefined
    : complete(composer.text, composer.cursor, mention, name);
}

/** The message with its mention corrected, if nobody would answer it otherwise (WORLD3.6). */
function fixedMention({ composer }: UiState, { world }: Facts): UiState['composer'] | undefined {
  const who = whoAnswers(composer.text, world.agents, world.world?.mainAgent);
  return who.kind === 'nobody' && who.fixed !== undefined ? fieldOf(who.fixed) : undefined;
}

function pressInComposer(ui: UiState, key: Key, facts: Facts): Pressed {
  const isClosed = facts.chat !== undefined && externalAgent(facts.chat) !== undefined;
  if (key.kind === 'name' && key.name === 'enter') return isClosed ? only(ui) : send(ui, facts);
  if (key.kind === 'name' && key.name === 'escape') return only({ ...ui, scroll: { kind: 'end' } });
  if (key.kind === 'char' && key.text === '?' && ui.composer.text === '') return only({ ...ui, overlay: 'help' });
  if (key.kind === 'burst' && key.text.endsWith('\r') && !isClosed) {
    // Typed over a slow connection: the last character of the burst was the Enter key.
    const composer = edit(ui.composer, { kind: 'burst', text: key.text.slice(0, -1) }) ?? ui.composer;
    return send({ ...ui, composer }, facts);
  }
  const field = isClosed ? undefined : edit(ui.composer, key);
  if (field !== undefined) return only({ ...ui, composer: field });
  if (key.kind !== 'name' || (key.name !== 'up' && key.name !== 'down')) return only(ui);
  const step = key.name === 'up' ? -1 : 1;
  const suggestion = nextSuggestion(ui.composer.text, facts.suggestions, step);
  if (suggestion !== undefined) return only({ ...ui, composer: fieldOf(suggestion) });
  return only({ ...ui, scroll: facts.transcript.by(ui.scroll, step) });
}

function nextSuggestion(text: string, suggestions: readonly string[], step: 1 | -1): string | undefined {
  const at = suggestions.indexOf(text);
  if (at < 0 && text !== '') return undefined;
  return suggestions.at(at < 0 && step < 0 ? -1 : (at + step) % suggestions.length);
}

/** Carries out a command that was typed as a message. Most have a key, too. */
function obey(ui: UiState, { kind, argument }: Exclude<SlashCommand, { kind: 'unknown' }>, facts: Facts): Pressed {
  switch (kind) {
    case 'help':
      return only({ ...ui, overlay: 'help' });
    case 'stop':
      return stop(ui);
    case 'new':
      return openChat(ui, undefined, facts);
    case 'chat':
      if (argument !== '') return { ui, effects: [{ kind: 'find-chat', id: argument }] };
      return only(toggleChats(ui, facts));
    case 'branch':
      return { ui, effects: [{ kind: 'branch', text: argument }] };
    case 'cost':
      return { ui, effects: [{ kind: 'cost' }] };
    case 'export':
      return { ui, effects: [{ kind: 'export', file: argument }] };
    case 'chats':
    case 'agents':
      return only(toggleChats(ui, facts));
    case 'thinking':
      return only({ ...ui, isWide: !ui.isWide });
    case 'approvals':
      if (ui.card.current.kind !== 'none') return only(focusOn(ui, 'card', facts.now));
      return only({ ...ui, status: { text: cardWords.noneWaiting, isBad: false } });
    case 'quit':
      return leave(ui);
  }
}

function stop(ui: UiState): Pressed {
  return ui.chatId === undefined ? only(ui) : { ui, effects: [{ kind: 'stop' }] };
}

function send(ui: UiState, facts: Facts): Pressed {
  const text = ui.composer.text.trim();
  if (text === '') return only(ui);
  const command = readSlashCommand(ui.composer.text, 'screen');
  if (command?.kind === 'unknown') return only({ ...ui, status: { text: command.hint, isBad: true } });
  if (command !== undefined) return obey({ ...ui, composer: EMPTY_FIELD }, command, facts);
  return { ui: { ...ui, composer: EMPTY_FIELD, scroll: { kind: 'end' } }, effects: [{ kind: 'send', text }] };
}

function pressInTranscript(ui: UiState, key: Key, facts: Facts): Pressed {
  const { transcript, now } = facts;
  const by = (delta: number): Pressed => only({ ...ui, scroll: transcript.by(ui.scroll, delta) });
  if (key.kind === 'name') {
    const { name }: { name: string } = key;
    switch (name) {
      case 'up':
        return by(-1);
      case 'down':
        return by(1);
      case 'home':
        return only({ ...ui, scroll: transcript.top() });
      case 'end':
        return only({ ...ui, scroll: { kind: 'end' } });
      case 'escape':
        return only(focusOn(ui, 'composer', now));
      default:
        return only(ui);
    }
  }
  switch (key.kind === 'char' ? key.text : '') {
    case 'k':
      return by(-1);
    case 'j':
      return by(1);
    case 'g':
      return only({ ...ui, scroll: transcript.top() });
    case 'G':
      return only({ ...ui, scroll: { kind: 'end' } });
    case 'x':
      return only({ ...ui, isWide: !ui.isWide });
    case 'u':
      return openUndo(ui);
    default:
      return only(ui);
  }
}

function scrollPage(ui: UiState, way: 1 | -1, { transcript }: Facts): UiState {
  return { ...ui, scroll: transcript.by(ui.scroll, way * Math.max(1, transcript.height - 2)) };
}

/** The first row of the list is a new chat. */
function pressInChats(ui: UiState, key: Key, facts: Facts): Pressed {
  const last = facts.world.chats.length;
  const at = Math.min(ui.pickedChat, last);
  const is = (name: string, letter?: string): boolean =>
    (key.kind === 'name' && key.name === name) || (key.kind === 'char' && key.text === letter);
  if (is('up', 'k')) return only({ ...ui, pickedChat: Math.max(0, at - 1) });
  if (is('down', 'j')) return only({ ...ui, pickedChat: Math.min(last, at + 1) });
  if (is('home', 'g')) return only({ ...ui, pickedChat: 0 });
  if (is('end', 'G')) return only({ ...ui, pickedChat: last });
  if (is('escape')) return only(focusOn(ui, 'composer', facts.now));
  if (is('enter')) return openChat(ui, at === 0 ? undefined : facts.world.chats[at - 1]?.id, facts);
  return only(ui);
}

function toggleChats(ui: UiState, { hasSide, now, world }: Facts): UiState {
  if (ui.focus === 'chats') return focusOn({ ...ui, isSideOpen: false }, 'composer', now);
  const pickedChat = world.chats.findIndex(({ id }) => id === ui.chatId) + 1;
  return { ...focusOn(ui, 'chats', now), isSideOpen: !hasSide, pickedChat };
}

function openChat(ui: UiState, chatId: string | undefined, { now }: Facts): Pressed {
  const effects: Effect[] = chatId === ui.chatId ? [] : [{ kind: 'open-chat', chatId }];
  const opened: UiState = { ...focusOn(ui, 'composer', now), chatId, isSideOpen: false };
  if (chatId === ui.chatId) return { ui: opened, effects };
  return { ui: { ...opened, ...changeDraft(ui, chatId), scroll: { kind: 'end' } }, effects };
}

function only(ui: UiState): Pressed {
  return { ui, effects: [] };
}
