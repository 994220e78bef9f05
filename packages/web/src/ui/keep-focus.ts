/**
 * Where the focus goes when the focused element disappears: the nearest `data-landing`. On touch screens, `keyboard` is skipped, because focusing
 * a text field opens the on-screen keyboard; `touch` is used only there.
 */
const LANDINGS = {
  keyboard: '[data-landing]:not([data-landing="touch"])',
  touch: '[data-landing]:not([data-landing="keyboard"])',
};

const FOCUSABLE = 'a, button, input, select, textarea, summary, label, [tabindex]';

let focused: Element | undefined;
/** The ancestors of the focused element: once removed, it no longer knows them. Empty if nothing is focused on purpose. */
let around: readonly Element[] = [];
let wasDisabled: Element | undefined;
let isScheduled = false;

/** Keeps the keyboard focus when the focused element is removed, hidden or temporarily disabled (PAGE1.4). */
export function keepFocus(): void {
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element) remember(target, ancestorsOf(target));
  });
  document.addEventListener('pointerdown', ({ target }) => {
    if (target instanceof Element && target.closest(FOCUSABLE) === null) remember(undefined, []);
  });
  new MutationObserver(schedule).observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ['disabled'],
  });
}

/** Moves the focus into the page that a button outside it opens. */
export function focusPage(): void {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  remember(undefined, [document.body]);
  schedule();
}

function remember(element: Element | undefined, ancestors: readonly Element[]): void {
  focused = element;
  around = ancestors;
  wasDisabled = undefined;
}

/** Checks after the next paint, when effects have run: a card or field that takes the focus itself comes first. */
function schedule(): void {
  // A disabled button loses the focus only with the next paint.
  if (focused?.matches(':disabled') === true) wasDisabled = focused;
  if (isScheduled || around.length === 0 || !(isNowhere() || wasDisabled !== undefined)) return;
  isScheduled = true;
  requestAnimationFrame(() =>
    setTimeout(() => {
      isScheduled = false;
      restore();
    }),
  );
}

function restore(): void {
  if (!isNowhere()) return;
  if (focused instanceof HTMLElement && focused.isConnected && focused.checkVisibility({ visibilityProperty: true })) {
    // A button that is disabled while it works gets the focus back afterwards.
    if (wasDisabled === focused && !focused.matches(':disabled')) focused.focus();
    return;
  }
  const landing = LANDINGS[matchMedia('(pointer: coarse)').matches ? 'touch' : 'keyboard'];
  for (const ancestor of around.filter(({ isConnected }) => isConnected))
    for (const found of ancestor.querySelectorAll<HTMLElement>(landing)) if (takesFocus(found)) return;
}

/** A heading takes the focus only with a `tabindex`, which is not set earlier: a dialog would focus it when it opens. */
function takesFocus(element: HTMLElement): boolean {
  if (element.tabIndex < 0) element.tabIndex = -1;
  element.focus();
  return document.activeElement === element;
}

function isNowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

function ancestorsOf({ parentElement }: Element): readonly Element[] {
  return parentElement === null ? [] : [parentElement, ...ancestorsOf(parentElement)];
}
