/** Tokens of conversation by family, the first that fits. Where a family's members differ, the smallest: too long a view is refused. */
const FAMILIES: readonly (readonly [RegExp, number])[] = [
  [/^gpt-4\.1/, 1_000_000],
  [/^gpt-4o|^gpt-4-turbo|^gpt-4-\d{4}-preview|^gpt-4\.5|^chatgpt-4o/, 128_000],
  [/^gpt-4-32k/, 32_000],
  [/^gpt-4/, 8_000],
  [/^gpt-3\.5/, 16_000],
  [/^gpt-oss/, 128_000],
  // 400,000 with the answer; this much may be asked.
  [/^gpt-(?:[5-9]|\d\d)/, 272_000],
  [/^o1-(?:mini|preview)/, 128_000],
  [/^o\d/, 200_000],
  [/^claude-(?:instant|2\.0)/, 100_000],
  [/^claude/, 200_000],
  [/^gemini-1\.0|^gemini-pro/, 30_000],
  [/^gemini/, 1_000_000],
  [/^grok-(?:3|2)/, 131_000],
  [/^grok-/, 256_000],
  [/^deepseek-(?:chat|reasoner)/, 64_000],
  [/^kimi-k2/, 128_000],
  [/^(?:mistral|codestral|devstral|magistral)-(?:large|medium|small)?/, 32_000],
];

/** Undefined for models nobody knows here: a local server cuts off the beginning without a word, so core's careful default is right. */
export function contextTokens(model: string): number | undefined {
  // `models/gemini-…` of Google, `anthropic/claude-…:beta` of OpenRouter.
  const family = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return FAMILIES.find(([pattern]) => pattern.test(family))?.[1];
}
