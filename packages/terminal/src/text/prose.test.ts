import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../../tests/support/any-character.js';
import { get } from '@countersign/client';
import { createPrinter } from '../chat/printer.js';
import { approvalOf, chatOf, messageOf } from '../testing/screen-fixture.js';
import { cardBody } from '../tui/card/card-body.js';
import { fieldLines } from '../tui/layout/field-lines.js';
import { messageLines, viewOf } from '../tui/transcript/message-lines.js';
import { textOf } from './spans.js';
import { proseBehindBar } from './behind-bar.js';
import { paintFor } from './paint.js';
import { exactText, plainLine, plainText, proseLine, proseText } from './plain-text.js';

const ZWNJ = '\u200C';
const ZWJ = '\u200D';
/** Persian "I want", "books"; Hindi with a half letter; Sinhala "Sri"; Bengali "rya"; an old Malayalam chillu at the end of a word. */
const WORDS = [`می${ZWNJ}خواهم`, `کتاب${ZWNJ}ها`, `कर्${ZWJ}म`, `क्${ZWNJ}ष`, `ශ්${ZWJ}රී`, `র${ZWJ}্য`, `അവന്${ZWJ}`];
const EMOJI = [`👩${ZWJ}👩${ZWJ}👧`, `❤\uFE0F${ZWJ}🔥`, `👩🏽${ZWJ}🚀`, `🏳\uFE0F${ZWJ}🌈`];

describe('prose by agents and people', () => {
  it.each([...WORDS, ...EMOJI])('[SAFE6.9] keeps the joiners of %j', (text) => {
    expect(proseText(`see ${text} here`)).toBe(`see ${text} here`);
    expect(proseLine(text)).toBe(text);
  });

  it.each([
    ['between Latin letters', `rm${ZWJ}x ad${ZWNJ}min`, 'rm‹U+200D›x ad‹U+200C›min'],
    ['twice in a row', `می${ZWNJ}${ZWNJ}خ`, 'می‹U+200C›‹U+200C›خ'],
    ['at the edge of a word', `${ZWNJ}می خ${ZWNJ} `, '‹U+200C›می خ‹U+200C› '],
    ['between two scripts', `م${ZWNJ}a क${ZWJ}م`, 'م‹U+200C›a क‹U+200D›م'],
    ['between digits and signs', `1${ZWJ}2 #${ZWJ}# ۱${ZWNJ}۲`, '1‹U+200D›2 #‹U+200D›# ۱‹U+200C›۲'],
    ['that only follows an emoji', `🚢${ZWJ} 🚢${ZWJ}a 🚢${ZWNJ}🚢`, '🚢‹U+200D› 🚢‹U+200D›a 🚢‹U+200C›🚢'],
    ['with other hidden characters', `م\u202E${ZWNJ}خ\u200Bب`, 'م‹U+202E›‹U+200C›خ‹U+200B›ب'],
  ])('[SAFE6.9] escapes a joiner %s', (_, text, shown) => {
    expect(proseText(text)).toBe(shown);
  });

  it('[SAFE6.9] keeps no joiners in names, paths, commands and arguments', () => {
    for (const text of [...WORDS, ...EMOJI]) {
      for (const shown of [plainText(text), plainLine(text), exactText(text)]) {
        expect(shown).not.toMatch(/[\u200C\u200D]/);
        expect(shown).toMatch(/‹U\+200[CD]›/);
      }
    }
  });

  it('[SAFE6.9] hides nothing else, and looks the same however the text is split', () => {
    const unit = fc.oneof(anyCharacter, fc.constantFrom(ZWJ, ZWNJ, 'م', 'ی', 'क', '्', '👩', '\r\n'));
    fc.assert(
      fc.property(fc.string({ unit }), fc.nat(), (text, cut) => {
        const shown = proseText(text);
        expect(shown.replaceAll(/[\u200C\u200D]/g, '')).not.toMatch(
          /[\0-\x08\x0B-\x1F\x7F-\x9F]|\p{Cs}|\p{Bidi_Control}|\u200B/u,
        );
        expect(shown).not.toMatch(/[\x20-\x7E][\u200C\u200D]|[\u200C\u200D]{2}|^[\u200C\u200D]/);
        const at = Array.from(text)
          .slice(0, cut % 9)
          .join('').length;
        if (/[\r\uD800-\uDBFF]$/.test(text.slice(0, at))) return;
        expect(proseText(text, 0, at) + proseText(text, at)).toBe(shown);
      }),
    );
  });

  it('[SAFE6.9] never breaks a line inside joined letters', () => {
    const family = EMOJI[0] ?? '';
    const lines = proseBehindBar(family.repeat(20), 40).split('\n');
    expect(lines.map((line) => line.slice(4).replaceAll(family, ''))).toEqual(lines.map(() => ''));
  });

  it('[SAFE6.9] reads the same in a chat, while it streams, on a card and in a field', () => {
    const said = WORDS.join(' ');
    const message = messageOf(1, { content: said });
    const printed = show((printer) => printer.show(chatOf([message], [])));
    expect(printed).toContain(said);
    const state = chatOf([message], []);
    const stored = get(state.messages, message.messageId);
    if (stored === undefined) throw new Error('no message');
    const view = messageLines(viewOf(state, stored, [], undefined), 120, { now: 0, isWide: false, me: undefined });
    expect(view.map(textOf).join('\n')).toContain(said);
    const question = { ...approvalOf(1), invocationId: 'inv_1', question: { text: said, choices: [said] } };
    const card = cardBody(question, 120).lines.map(textOf);
    expect(card.filter((line) => line.includes(said))).toHaveLength(2);
    const field = { text: said, cursor: 0 };
    expect(textOf(fieldLines(field, 120, 3, false, 'prose')[0] ?? [])).toBe(said);
    expect(textOf(fieldLines(field, 300, 3, false, 'exact')[0] ?? [])).toContain('‹U+200C›');
  });

  it('[SAFE6.9] a stream that is split before or after a joiner shows the joiner like the finished message', () => {
    const said = `${WORDS[0] ?? ''} ${EMOJI[0] ?? ''}.`;
    const printed = show((printer) => {
      for (let end = 1; end <= said.length; end += 1) {
        const stream = { messageId: 'm', agentId: 'scout', agentName: 'Scout', text: said.slice(0, end), missing: 0 };
        printer.show({
          ...chatOf([], []),
          streams: [{ ...stream, attempt: 1, thinking: '', thinkingLength: 0, ended: false }],
        });
      }
    });
    expect(printed).toContain(said);
  });
});

function show(act: (printer: ReturnType<typeof createPrinter>) => void): string {
  let text = '';
  const write = (more: string): void => void (text += more);
  act(createPrinter({ write, paint: paintFor({}, { env: {} }), columns: () => 120, me: undefined }));
  return text;
}
