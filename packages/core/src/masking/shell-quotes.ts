/** Where a shell would think it is. Known only as far as the text is simple: see `trusted`. */
export interface QuoteState {
  inside: 'nothing' | 'single' | 'double' | 'comment';
  /**
   * False once the text held an expansion or a here-document: quotes nest in them, and a closing quote taken for an opening one would let
   * `"password=" -rf / "` hide words that are not quoted at all.
   */
  trusted: boolean;
  /** A `#` here starts a comment. */
  wordStart: boolean;
  /** A `<` here makes it a here-document. */
  afterLess: boolean;
  /**
   * What the word that a shell would read here has been so far, quotes and backslashes taken away. After `NAME=value` a command may follow:
   * `X=Bearer rm -rf /` runs rm, and so does `eval X="Bearer rm -rf /"`.
   */
  shellWord: 'start' | 'name' | 'variable' | 'other';
}

export const noQuotes: QuoteState = {
  inside: 'nothing',
  trusted: true,
  wordStart: true,
  afterLess: false,
  shellWord: 'start',
};

export function quotesAfterWord(state: QuoteState, text: string): QuoteState {
  const comment = text.startsWith('#') && state.wordStart && state.inside === 'nothing';
  const shellWord = shellWordAfter(state.shellWord, text);
  if (!comment && !state.wordStart && !state.afterLess && shellWord === state.shellWord) return state;
  return { ...state, inside: comment ? 'comment' : state.inside, wordStart: false, afterLess: false, shellWord };
}

/** After one character that is no part of a word. */
export function quotesAfterCharacter(state: QuoteState, character: string): QuoteState {
  const inside = insideAfter(state.inside, character);
  const trusted = state.trusted && !(character === '$' || character === '`' || (character === '<' && state.afterLess));
  const wordStart = ' \t\n;|&<>()'.includes(character);
  const afterLess = character === '<';
  const shellWord = shellWordBetween(state, character);
  const same =
    inside === state.inside &&
    trusted === state.trusted &&
    wordStart === state.wordStart &&
    afterLess === state.afterLess &&
    shellWord === state.shellWord;
  return same ? state : { inside, trusted, wordStart, afterLess, shellWord };
}

/** After a backslash and the character it stands before. */
export function quotesAfterPair(state: QuoteState, escaped: string): QuoteState {
  // A continued line is not there at all, so it changes nothing.
  if (escaped === '\n' && state.inside !== 'comment') return state;
  const closes = (state.inside === 'single' && escaped === "'") || (state.inside === 'comment' && escaped === '\n');
  const trusted = state.trusted && !(escaped === '$' || escaped === '`');
  const literal = /^[\w=[+]$/.test(escaped) || state.shellWord === 'variable';
  const shellWord = literal ? shellWordAfter(state.shellWord, escaped) : shellWordBetween(state, ' ');
  return {
    inside: closes ? 'nothing' : state.inside,
    trusted,
    wordStart: escaped === '\n',
    afterLess: false,
    shellWord,
  };
}

function shellWordAfter(shellWord: QuoteState['shellWord'], text: string): QuoteState['shellWord'] {
  if (shellWord === 'variable' || shellWord === 'other') return shellWord;
  const length = /^\w*/.exec(text)?.[0].length ?? 0;
  if (length === text.length) return 'name';
  const named = shellWord === 'name' || length > 0;
  return named && '=[+'.includes(text.charAt(length)) ? 'variable' : 'other';
}

function shellWordBetween(state: QuoteState, character: string): QuoteState['shellWord'] {
  if (character === '"' || character === "'") return state.shellWord;
  // A line end ends a variable in any shell; going on would leave the next lines of a script unmasked.
  if (character === '\n') return 'start';
  // Inside quotes a word of another shell may start; the word of this one, once a variable, stays that.
  const goesOn = state.inside === 'single' || state.inside === 'double' || !state.trusted;
  if (state.shellWord === 'variable' && goesOn) return 'variable';
  return ' \t\n$`;|&<>()'.includes(character) ? 'start' : 'other';
}

function insideAfter(inside: QuoteState['inside'], character: string): QuoteState['inside'] {
  switch (inside) {
    case 'nothing':
      if (character === '"') return 'double';
      return character === "'" ? 'single' : inside;
    case 'single':
      return character === "'" ? 'nothing' : inside;
    case 'double':
      return character === '"' ? 'nothing' : inside;
    case 'comment':
      return character === '\n' ? 'nothing' : inside;
  }
}
