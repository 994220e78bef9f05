export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export const SMALLEST: Size = { columns: 60, rows: 18 };

/** The layout of the screen. Heights are in lines; 0 hides a part. */
export interface Areas {
  /** The width of the chat list; 0 if it doesn't fit. */
  readonly side: number;
  readonly width: number;
  readonly banner: number;
  readonly transcript: number;
  /** The height of the whole card, including its head and foot. */
  readonly card: number;
  readonly cardBody: number;
  readonly completion: number;
  readonly composer: number;
}

interface Wanted {
  readonly hasBanner: boolean;
  readonly hasCompletion: boolean;
  readonly composer: number;
  /** Absent if no call is waiting. */
  readonly card?: { readonly body: number; readonly foot: number; readonly isFocused: boolean };
}

const SIDE_FROM = 100;
/** Title and rule at the top, rule above the composer, and hints at the bottom. */
const FIXED = 4;
const LEAST_TRANSCRIPT = 3;
/** The head and one line of content. */
const BAR = 2;

export function isTooSmall({ columns, rows }: Size): boolean {
  return columns < SMALLEST.columns || rows < SMALLEST.rows;
}

/** Computes the layout. The sum of all heights never exceeds the screen. */
export function areasOf(size: Size, wanted: Wanted): Areas {
  const side = size.columns >= SIDE_FROM ? Math.min(34, Math.max(26, Math.floor(size.columns / 5))) : 0;
  const width = size.columns - (side === 0 ? 0 : side + 1);
  const banner = wanted.hasBanner ? 1 : 0;
  const completion = wanted.hasCompletion ? 1 : 0;
  const composer = Math.min(wanted.composer, Math.max(1, Math.floor(size.rows / 5)));
  const free = size.rows - FIXED - banner - completion - composer;
  const card = cardHeight(size, free, wanted.card);
  const foot = wanted.card?.foot ?? 0;
  const isBar = wanted.card !== undefined && !wanted.card.isFocused && isCompact(size);
  return {
    side,
    width,
    banner,
    completion,
    composer,
    card,
    cardBody: card === 0 ? 0 : isBar ? 1 : Math.max(0, card - 1 - foot),
    transcript: free - card,
  };
}

/** On a short screen the card is a bar until it is focused. */
export function isCompact({ rows }: Size): boolean {
  return rows < 30;
}

function cardHeight(size: Size, free: number, card: Wanted['card']): number {
  if (card === undefined) return 0;
  const whole = 1 + card.body + card.foot;
  if (card.isFocused) return Math.min(whole, free - LEAST_TRANSCRIPT);
  return isCompact(size) ? BAR : Math.min(whole, Math.max(1 + card.foot + 3, Math.floor(free / 2)));
}
