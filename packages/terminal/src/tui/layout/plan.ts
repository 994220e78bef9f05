import { get, revealedView, type ApprovalView } from '@countersign/client';
import { areasOf, isTooSmall, type Areas } from './areas.js';
import { cardBody } from '../card/card-body.js';
import { cardFootOf, goneFoot } from '../card/card-foot.js';
import { completions, PROMPT } from './composer-lines.js';
import { fieldHeight } from './field-lines.js';
import { bannerOf } from './head-lines.js';
import { helpLines } from './help-lines.js';
import type { Facts } from '../ui-state.js';
import { reviewLines } from './review-lines.js';
import type { Scene } from './scene.js';
import type { Line } from '../../text/spans.js';
import { transcriptBlocks, unsentIn } from '../transcript/transcript-blocks.js';
import { undoLines } from './undo-lines.js';
import { scrollBy, scrollToTop, type Blocks, type Scroll } from '../transcript/transcript-window.js';

/** The layout, and the content of the two scrollable parts. */
export interface Plan {
  readonly areas: Areas;
  readonly blocks: Blocks | undefined;
  readonly approval: ApprovalView | undefined;
  readonly body: readonly Line[];
  /** Whether part of the call is missing from the body. */
  readonly isCut: boolean;
  readonly foot: readonly Line[];
  /** Visible and total lines of the help. */
  readonly help: { readonly height: number; readonly length: number };
  /** Visible and total lines of a file of the change. */
  readonly review: { readonly height: number; readonly length: number };
  /** Visible and total lines of what undoing a call will do. */
  readonly undo: { readonly height: number; readonly length: number };
}

export function planOf(scene: Scene): Plan {
  const { ui, world, chat, size } = scene;
  const guess = areasOf(size, { hasBanner: false, hasCompletion: false, composer: 1 });
  const { current } = ui.card;
  const asked = current.kind === 'none' ? undefined : get(world.approvals, current.id);
  const { revealed } = ui.card;
  const approval = asked !== undefined && revealed?.id === asked.approvalId ? revealedView(asked, revealed) : asked;
  const { lines: body, isCut } =
    approval === undefined ? { lines: [], isCut: false } : cardBody(approval, guess.width, ui.card.choice, world.me);
  const foot = approval === undefined ? goneFoot(scene, guess.width) : cardFootOf(scene, approval, guess.width, isCut);
  const shared = areasOf(size, {
    hasBanner: bannerOf(scene) !== undefined,
    hasCompletion: completions(scene).length > 0,
    composer: fieldHeight(ui.composer, guess.width - PROMPT - 1, 6),
    ...(foot.length === 0
      ? {}
      : {
          card: {
            body: approval === undefined ? 0 : body.length + 1,
            foot: foot.length,
            isFocused: ui.focus === 'card',
          },
        }),
  });
  // If there is no room for the card, only a note is shown.
  const areas = isTooSmall(size) ? { ...shared, cardBody: 0 } : shared;
  const blocks =
    chat === undefined
      ? undefined
      : transcriptBlocks(chat, scene.measured, {
          width: areas.width,
          isWide: ui.isWide,
          now: scene.now,
          me: scene.me,
          mainAgent: scene.world.world?.mainAgent,
          unsent: unsentIn(scene),
        });
  // Title and rule at the top, hints at the bottom.
  const help = { height: Math.max(0, size.rows - 3 - areas.banner), length: helpLines(areas.width).length };
  const undo = { height: help.height, length: ui.overlay === 'undo' ? undoLines(ui.undo, areas.width).length : 0 };
  // Below its title.
  const review = { height: help.height - 1, length: reviewLines(ui, areas.width).length };
  return { areas, blocks, approval, body, isCut, foot, help, review, undo };
}

/** The current card, and how much of it is visible. */
export function cardOf({ areas, approval, body, isCut }: Plan): Facts['card'] {
  return { id: approval?.approvalId, height: areas.cardBody, length: body.length + 1, isCut };
}

/** The scroll state of the transcript, for the key handlers. */
export function transcriptOf({ areas, blocks }: Plan): {
  height: number;
  by: (scroll: Scroll, delta: number) => Scroll;
  top: () => Scroll;
} {
  const height = areas.transcript;
  return {
    height,
    by: (scroll, delta) => (blocks === undefined ? scroll : scrollBy(blocks, scroll, delta, height)),
    top: () => (blocks === undefined ? { kind: 'end' } : scrollToTop(blocks, height)),
  };
}
