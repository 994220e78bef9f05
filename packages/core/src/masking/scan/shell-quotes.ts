/** A shell's parser state, as far as it can be derived from the text; see `trusted`. */
export interface QuoteState {
  inside: 'nothing' | 'single' | 'double' | 'comment';
  /**
   * False after an expansion or here-document, because quotes nest in them. Mistaking a closing quote for an opening one would let
   * `"password=" -rf / "` hide unquoted words.
   */
  trusted: boolean;
  /** Whether a `#` here starts a comment. */
  wordStart: boolean;
  /** Whether a `<` here starts a here-document. */
  afterLess: boolean;
  /**
   * The shell word so far, without quotes and backslashes. After `NAME=value` a command may follow: `X=Bearer rm -rf /` runs rm,
   * and so does `eval X="Bearer rm -rf /"`.
   */
  shellWord: 'start' | 'name' | 'other' | Variable;
  substitution: Substitution;
}

/**
 * Number of open brackets of a substitution in `NAME=`, or an open backtick: `X=$(date)Bearer rm -rf /` runs rm too. `code`: a backtick
 * outside a variable, as in prose with `A=1` and `token: x`.
 */
type Substitution = number | '`' | 'code';

/**
 * `NAME=value` and the quotes since the `=`. A space ends a `variable` even in surrounding quotes, or `bash -c "X=1 login --password hunter2"`
 * would be one long variable. `unclear`: backslashes or a substitution intervened.
 */
type Variable = 'variable' | 'variable-single' | 'variable-double' | 'variable-unclear';

export function isVariable(shellWord: QuoteState['shellWord']): shellWord is Variable {
  return shellWord.startsWith('variable');
}

export const noQuotes: QuoteState = {
  inside: 'nothing',
  trusted: true,
  wordStart: true,
  afterLess: false,
  shellWord: 'start',
  substitution: 0,
};

export function quotesAfterWord(state: QuoteState, text: string): QuoteState {
  const comment = text.startsWith('#') && state.wordStart && state.inside === 'nothing';
  // `X=${Y:-a b}Bearer rm -rf /`: a space in the braces doesn't end the word.
  const braces = state.shellWord === 'variable' && !state.trusted && text.lastIndexOf('{') > text.lastIndexOf('}');
  const shellWord = braces ? 'variable-unclear' : shellWordAfter(state.shellWord, text);
  if (!comment && !state.wordStart && !state.afterLess && shellWord === state.shellWord) return state;
  return { ...state, inside: comment ? 'comment' : state.inside, wordStart: false, afterLess: false, shellWord };
}

/** The state after a character that is not part of a word. */
export function quotesAfterCharacter(state: QuoteState, character: string): QuoteState {
  const inside = insideAfter(state.inside, character);
  const trusted = state.trusted && !(character === '$' || character === '`' || (character === '<' && state.afterLess));
  const wordStart = ' \t\n;|&<>()'.includes(character);
  const afterLess = character === '<';
  const between = shellWordBetween(state, character);
  const opens = state.afterLess || (isVariable(state.shellWord) && between === 'start');
  const literal = state.inside === 'single' && state.trusted && !opens;
  const substitution =
    literal && character === '`' ? state.substitution : substitutionAfter(state.substitution, character, opens);
  const closes = substitution === 0 && state.substitution !== 0 && state.substitution !== 'code';
  const shellWord = closes ? 'variable' : between;
  const same =
    inside === state.inside &&
    trusted === state.trusted &&
    wordStart === state.wordStart &&
    afterLess === state.afterLess &&
    shellWord === state.shellWord &&
    substitution === state.substitution;
  return same ? state : { inside, trusted, wordStart, afterLess, shellWord, substitution };
}

/** The state after a backslash and the character that it escapes. */
export function quotesAfterPair(state: QuoteState, escaped: string): QuoteState {
  // A line continuation changes nothing.
  if (escaped === '\n' && state.inside !== 'comment') return state;
  const closes = (state.inside === 'single' && escaped === "'") || (state.inside === 'comment' && escaped === '\n');
  const trusted = state.trusted && !(escaped === '$' || escaped === '`');
  return {
    inside: closes ? 'nothing' : state.inside,
    trusted,
    wordStart: escaped === '\n',
    afterLess: false,
    shellWord: shellWordAfterPair(state, escaped),
    substitution: state.substitution,
  };
}

function shellWordAfter(shellWord: QuoteState['shellWord'], text: string): QuoteState['shellWord'] {
  if (shellWord === 'other' || isVariable(shellWord)) return shellWord;
  const length = /^\w*/.exec(text)?.[0].length ?? 0;
  if (length === text.length) return 'name';
  const named = shellWord === 'name' || length > 0;
  return named && '=[+'.includes(text.charAt(length)) ? 'variable' : 'other';
}

function shellWordAfterPair(state: QuoteState, escaped: string): QuoteState['shellWord'] {
  // In no shell does a backslash before a letter escape a space. In JSON text it is often a line break.
  if (isVariable(state.shellWord)) return /^\w$/.test(escaped) ? state.shellWord : 'variable-unclear';
  return /^[\w=[+]$/.test(escaped) ? shellWordAfter(state.shellWord, escaped) : shellWordBetween(state, ' ');
}

function shellWordBetween(state: QuoteState, character: string): QuoteState['shellWord'] {
  if (character === '"' || character === "'") return shellWordAfterQuote(state.shellWord, character);
  // A line break ends a variable in every shell. Continuing would leave the next lines of a script unmasked.
  if (character === '\n') return 'start';
  // `X=$HOME:Bearer rm -rf /`: the name of an expansion is part of the word, and so are invisible characters.
  if (isVariable(state.shellWord) && !' \t`;|&<>()'.includes(character)) return state.shellWord;
  // Inside quotes, a word of another shell may start, but a variable of this shell remains one.
  const continues = state.inside === 'single' || state.inside === 'double' || !state.trusted;
  if (continues && isVariable(state.shellWord) && state.shellWord !== 'variable')
    return character === '(' || character === '`' ? 'variable-unclear' : state.shellWord;
  return ' \t\n$`;|&<>()'.includes(character) ? 'start' : 'other';
}

function shellWordAfterQuote(shellWord: QuoteState['shellWord'], quote: '"' | "'"): QuoteState['shellWord'] {
  const opened = quote === '"' ? 'variable-double' : 'variable-single';
  if (shellWord === 'variable') return opened;
  return shellWord === opened ? 'variable' : shellWord;
}

function substitutionAfter(open: Substitution, character: string, opens: boolean): Substitution {
  if (open === '`') return character === '`' ? 0 : open;
  if (open === 'code') return character === '`' || character === '\n' ? 0 : open;
  if (character === '`' && open === 0) return opens ? '`' : 'code';
  if (character === '(') return open > 0 || opens ? open + 1 : 0;
  return character === ')' && open > 0 ? open - 1 : open;
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
