import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chatOf, messageOf, NOW, sceneOf } from '../../testing/screen-fixture.js';
import { planOf, transcriptOf } from '../layout/plan.js';
import { span, textOf } from '../../text/spans.js';
import { nothingMeasured, transcriptBlocks } from './transcript-blocks.js';
import { scrollBy, scrollToTop, windowOf, type Blocks, type Scroll } from './transcript-window.js';

function blocksOf(heights: readonly number[]): Blocks {
  return {
    count: heights.length,
    idAt: (index) => `block ${index}`,
    indexOf: (id) => Number(id.slice(6)),
    linesAt: (index) => Array.from({ length: heights[index] ?? 0 }, (_, line) => [span(`${index}.${line}`)]),
  };
}

describe('a long list of blocks', () => {
  it('shows its end, and earlier lines when scrolled', () => {
    const blocks = blocksOf([2, 3, 2]);
    expect(windowOf(blocks, { kind: 'end' }, 3).lines.map(textOf)).toEqual(['1.2', '2.0', '2.1']);
    const up = scrollBy(blocks, { kind: 'end' }, -2, 3);
    expect(windowOf(blocks, up, 3).lines.map(textOf)).toEqual(['1.0', '1.1', '1.2']);
    expect(scrollBy(blocks, up, 5, 3)).toEqual({ kind: 'end' });
    expect(windowOf(blocks, scrollToTop(blocks, 3), 3).lines.map(textOf)).toEqual(['0.0', '0.1', '1.0']);
  });

  it('is the same as a window over all lines', () => {
    const heights = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(
        heights,
        fc.array(fc.integer({ min: -9, max: 9 })),
        fc.integer({ min: 1, max: 8 }),
        (sizes, moves, height) => {
          const blocks = blocksOf(sizes);
          const all = sizes.flatMap((size, index) => Array.from({ length: size }, (_, line) => `${index}.${line}`));
          const last = Math.max(0, all.length - height);
          let scroll: Scroll = { kind: 'end' };
          let top = last;
          for (const move of moves) {
            scroll = scrollBy(blocks, scroll, move, height);
            top = Math.min(last, Math.max(0, top + move));
            expect(windowOf(blocks, scroll, height).lines.map(textOf)).toEqual(all.slice(top, top + height));
          }
        },
      ),
    );
  });
});

describe('a chat of 10,000 messages', () => {
  const chat = chatOf(Array.from({ length: 10_000 }, (_, index) => messageOf(index)));

  it('is laid out only where it is visible', () => {
    const measured = nothingMeasured();
    const scene = sceneOf({ chat, measured, size: { columns: 120, rows: 36 } });
    const plan = planOf(scene);
    expect(plan.blocks?.count).toBe(10_000);
    const { by, height } = transcriptOf(plan);
    let scroll: Scroll = { kind: 'end' };
    for (let page = 0; page < 20; page += 1) {
      scroll = by(scroll, -height);
      const shown = plan.blocks && windowOf(plan.blocks, scroll, height);
      expect(shown?.lines).toHaveLength(height);
    }
    // Three lines per message: twenty-one screens, plus the message cut off at each end of a screen.
    expect(measured.count).toBeLessThanOrEqual(Math.ceil((22 * height) / 3) + 2);
  });

  it('measures each message once, and again only if it or the width changes', () => {
    const measured = nothingMeasured();
    const look = (width: number, state = chat): void => {
      const blocks = transcriptBlocks(state, measured, { width, isWide: false, now: NOW, me: undefined });
      windowOf(blocks, { kind: 'end' }, 30);
    };
    look(80);
    const { count } = measured;
    look(80);
    look(80, { ...chat, title: 'another' });
    expect(measured.count).toBe(count);
    look(60);
    expect(measured.count).toBe(count * 2);
  });
});
