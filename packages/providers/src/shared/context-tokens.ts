/**
 * Context size by model family; the first match wins. If the models in a family differ, the smallest size applies, because a conversation that is
 * too long is rejected.
 */
const FAMILIES: readonly (readonly [RegExp, number])[] = [
  [/^gpt-4\.1/, 1_000_000],
  [/^gpt-4o|^gpt-4-turbo|^gpt-4-\d{4}-preview|^gpt-4\.5|^chatgpt-4o/, 128_000],
  [/^gpt-4-32k/, 32_000],
  [/^gpt-4/, 8_000],
  [/^gpt-3\.5/, 16_000],
  [/^gpt-oss/, 128_000],
  // 400,000 in total; this is the input limit.
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

/** Undefined for unknown models. Local servers silently truncate the beginning of a conversation, so core's conservative default applies. */
export function contextTokens(model: string): number | undefined {
  // Google's `models/gemini-…`, OpenRouter's `anthropic/claude-…:beta`.
  const family = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return FAMILIES.find(([pattern]) => pattern.test(family))?.[1];
}
