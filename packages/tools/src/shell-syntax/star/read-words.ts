import { type Effect, type Option, type Options, readOptions, type StarTable } from './star-table.js';

export interface StarReading {
  /** Positions of the words that a star doesn't match; `all` if it matches none. */
  readonly spell: ReadonlySet<number> | 'all';
  readonly effect: Effect;
  /** Positions of the operands that name files. Absent if that isn't known. */
  readonly files?: readonly number[];
}

const ALL: StarReading = { spell: 'all', effect: 'runs' };
const KNOWN = new WeakMap<StarTable, Options>();
/** With one of these options, the first operand is a file. */
const TEXT_GIVEN = ['-e', '--expression', '--regexp'];
const NUMBER = /^-\d+$/;

/** Parses a program's words, starting at `from`, like the program itself. One unknown option makes the rest uncertain. */
export function readWords(table: StarTable, words: readonly string[], from: number): StarReading {
  const { word: check } = table;
  if (check !== undefined) return eachWord(check, words, from);
  const options = optionsOf(table);
  const spell = new Set<number>();
  const given = new Set<string>();
  const places: number[] = [];
  let operands = 0;
  let at = from;
  const pending = bundle(table, options, words[from]);
  if (pending === undefined) return ALL;
  if (pending.length > 0) {
    if (pending.some(({ option }) => !option.harmless)) spell.add(from);
    at += 1;
    for (const { name, option } of pending) {
      given.add(name);
      if (option.value !== 'needed') continue;
      if (words[at] === undefined || table.values?.[name]?.(words[at] ?? '') === false) return ALL;
      at += 1;
    }
  }
  for (; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '--' && table.style !== 'words') {
      const rest = [...words.keys()].slice(at + 1);
      if (table.passesOn === true) return { spell: new Set([...spell, at, ...rest]), effect: table.effect ?? 'writes' };
      if (table.subcommands !== undefined) return ALL;
      for (const place of rest) {
        if (!takesOperand(table, words[place] ?? '', operands, given)) spell.add(place);
        places.push(place);
        operands += 1;
      }
      break;
    }
    if (/^-./.test(word)) {
      const found = findOptions(table, options, word);
      if (found === undefined) return ALL;
      const harmless = found.every(({ option }) => option.harmless);
      const last = found.at(-1);
      const needsNext = last?.option.value === 'needed' && last.value === undefined;
      const value = needsNext ? words[at + 1] : last?.value;
      if (needsNext && value === undefined) return ALL;
      const fits = last === undefined || value === undefined || table.values?.[last.name]?.(value) !== false;
      for (const { name } of found) given.add(name);
      // On macOS options end at the first operand, so this word is one more operand.
      const counts = table.most !== undefined && operands > 0;
      if (!harmless || !fits || counts) spell.add(at);
      if (needsNext) {
        at += 1;
        // Another version of the program may accept only an attached value, and treat this word as an option.
        if (!harmless || !fits || /^-[^\d]/.test(value ?? '')) spell.add(at);
      }
      continue;
    }
    if (table.subcommands !== undefined) {
      const sub = Object.hasOwn(table.subcommands, word) ? table.subcommands[word] : undefined;
      if (sub === undefined) return ALL;
      const { files, ...inside } = readWords(sub, words, at + 1);
      if (inside.spell === 'all') return ALL;
      const named = inside.effect === 'reads' ? [] : [at];
      // With `git -C x`, files are in another folder.
      const known = files === undefined || spell.size > 0 ? {} : { files };
      return { ...inside, ...known, spell: new Set([...spell, ...named, ...inside.spell]) };
    }
    if (!takesOperand(table, word, operands, given)) spell.add(at);
    places.push(at);
    operands += 1;
  }
  // `-e` of jq takes no value: its first operand is still the filter.
  const textGiven = TEXT_GIVEN.some((name) => given.has(name) && options.get(name)?.value === 'needed');
  const lists = table.listsAlone === true && operands === 0 && spell.size === 0;
  return {
    spell,
    effect: lists ? 'reads' : (table.effect ?? (spell.size > 0 ? 'writes' : 'reads')),
    ...(table.files === undefined
      ? {}
      : { files: places.slice(textGiven ? 0 : table.files).filter((at) => !spell.has(at)) }),
  };
}

function eachWord(check: (word: string) => boolean, words: readonly string[], from: number): StarReading {
  const spell = [...words.keys()].filter((at) => at >= from && !check(words[at] ?? ''));
  return { spell: new Set(spell), effect: 'reads' };
}

function optionsOf(table: StarTable): Options {
  let options = KNOWN.get(table);
  if (options === undefined) KNOWN.set(table, (options = readOptions(table.options ?? '')));
  return options;
}

function takesOperand(table: StarTable, word: string, before: number, given: ReadonlySet<string>): boolean {
  if (table.most !== undefined && before >= table.most) return false;
  const { program, operand } = table;
  // Ignore later options: if options end at the first operand, this operand is the program text.
  if (before === 0 && program !== undefined && !program.givenBy.some((name) => given.has(name))) {
    return program.isHarmless(word);
  }
  return operand === undefined || operand(word);
}

interface Found {
  readonly name: string;
  readonly option: Option;
  readonly value?: string;
}

/** The options in one word, or undefined if one of them is unknown. */
function findOptions({ style }: StarTable, options: Options, word: string): readonly Found[] | undefined {
  const number = NUMBER.test(word) ? options.get('-#') : undefined;
  if (number !== undefined) return [{ name: '-#', option: number }];
  const equals = word.indexOf('=');
  if (word.startsWith('--') || style === 'words') {
    const name = equals < 0 ? word : word.slice(0, equals);
    const option = options.get(name);
    if (option === undefined || (equals >= 0 && option.value === 'none')) return undefined;
    return [{ name, option, ...(equals < 0 ? {} : { value: word.slice(equals + 1) }) }];
  }
  const found: Found[] = [];
  for (let at = 1; at < word.length; at += 1) {
    const name = `-${word.charAt(at)}`;
    const option = options.get(name);
    if (option === undefined) return undefined;
    const rest = word.slice(at + 1);
    if (option.value === 'none') found.push({ name, option });
    else {
      found.push({ name, option, ...(rest === '' ? {} : { value: rest }) });
      break;
    }
  }
  return found;
}

/** The letters of a first word that contains options without a dash. Empty for other programs; undefined if a letter is unknown. */
function bundle({ bundled }: StarTable, options: Options, word = ''): readonly Found[] | undefined {
  if (bundled !== true || word === '' || word.startsWith('-')) return [];
  const found = Array.from(word, (letter) => ({ name: `-${letter}`, option: options.get(`-${letter}`) }));
  return found.every((one): one is Found => one.option !== undefined) ? found : undefined;
}
