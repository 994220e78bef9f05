export type KeyName =
  | 'enter'
  | 'newline'
  | 'escape'
  | 'tab'
  | 'backtab'
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'pageup'
  | 'pagedown'
  | 'home'
  | 'end'
  | 'backspace'
  | 'delete'
  | 'f1';

/**
 * Keyboard input. `burst`: several characters at once, from a slow connection or a program; `paste`: marked as pasted. Neither acts on a card
 * (CALL15).
 */
export type Key =
  | { readonly kind: 'char'; readonly text: string }
  | { readonly kind: 'name'; readonly name: KeyName }
  | { readonly kind: 'ctrl'; readonly letter: string }
  | { readonly kind: 'burst'; readonly text: string }
  | { readonly kind: 'paste'; readonly text: string };
