/** Program text that sed, awk and printf take as a word. A text is harmless only if every part of it is known. */

/**
 * One part of a pattern or replacement, for a given delimiter. A bracket expression must not contain the delimiter, because implementations
 * differ.
 */
const DELIMITERS = '/|,#:@!';
const SED_PART = String.raw`(?:[^\n\\;[\]${DELIMITERS}]|\\[^\n;]|\[\^?[^\][\n\\;${DELIMITERS}]+\]|(?!\1)[${DELIMITERS}])*`;
const SED_ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^/\n\\;[\]]|\\[^\n;]|\[\^?[^\][/\n\\;]+\])*/I?)`;
const SED_COMMAND = new RegExp(
  `^ *(?:${SED_ADDRESS}(?:,(?:${SED_ADDRESS}|\\+\\d+))? *!? *)?(?:[pdqQ=nNDGHhgxPl]|s([${DELIMITERS}])${SED_PART}\\1${SED_PART}\\1[gpiI0-9]*) *$`,
);

/** Accepts substitutions without the flags that run or write, and addresses with commands that only change the output. */
export function isHarmlessSed(script: string): boolean {
  return script.split(';').every((part) => SED_COMMAND.test(part));
}

const AWK_SIGNS = /[|>@`]|\\\r?\n/;
const AWK_WORDS = /system|getline|close|fflush|func|include|load|eval|extension/;
const AWK_CALLS: ReadonlySet<string> = new Set(
  `if while for print printf in length substr tolower toupper split index match sub gsub gensub sprintf int sqrt log exp sin cos atan2
   and or not NR NF BEGIN END return`.split(/\s+/),
);

/** Accepts nothing that calls functions, pipes, writes or reads other files, anywhere in the text. */
export function isHarmlessAwk(script: string): boolean {
  if (AWK_SIGNS.test(script) || AWK_WORDS.test(script)) return false;
  return Array.from(script.matchAll(/([A-Za-z_]\w*)\s*\(/g)).every(([, name = '']) => AWK_CALLS.has(name));
}

const FORMAT =
  /^(?:[^%\\]|\\[nrtabfve"'\\]|%%|%[-+ #0']*(?:\*|\d+)?(?:\.(?:\*|\d+)?)?[sdiouxXeEfFgGcbq]|%\([^()%]*(?:%[A-Za-z][^()%]*)*\)T)*$/;

/** Rejects `%n`, which sets a shell variable and runs code if the variable's name contains an index. */
export function isHarmlessFormat(format: string): boolean {
  return FORMAT.test(format);
}
