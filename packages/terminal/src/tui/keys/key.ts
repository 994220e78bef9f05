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
 * What came from the keyboard. `burst`: several characters that came at once, as over a slow line or from a program; `paste`: what the
 * terminal says was pasted. Neither ever acts on a card (A17): only a key that was pressed by itself does.
 */
export type Key =
  | { readonly kind: 'char'; readonly text: string }
  | { readonly kind: 'name'; readonly name: KeyName }
  | { readonly kind: 'ctrl'; readonly letter: string }
  | { readonly kind: 'burst'; readonly text: string }
  | { readonly kind: 'paste'; readonly text: string };
