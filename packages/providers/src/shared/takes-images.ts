/** Model families that accept images. Other models get descriptions: sending them an image fails the whole call. */
const FAMILIES: readonly RegExp[] = [
  /^claude-(?:3|opus|sonnet|haiku|[4-9])/,
  /^(?:chatgpt-4o|gpt-4o|gpt-4\.[15]|gpt-4-turbo)/,
  /^gpt-(?:[5-9]|\d\d)/,
  /^o1(?!-mini|-preview)|^o3(?!-mini)|^o4/,
  /^gemini-(?!1\.0)\d/,
  /^grok-(?:4|[5-9])|^grok-.*vision/,
  /^pixtral|^mistral-(?:small|medium)-(?:3|2[5-9])|^mistral-large-3/,
  /^llama-?(?:3\.2-vision|4)|^llama3\.2-vision|^llava|^gemma-?3(?!-1b|:1b|:270m|-270m|n)|^qwen[\d.]*-?vl|^minicpm-v/,
];

/** Models in these families that don't accept images: audio, voice and search models. */
const WITHOUT = /audio|realtime|transcribe|tts|search-preview/;

export function takesImages(model: string): boolean {
  // Google's `models/gemini-…`, OpenRouter's `anthropic/claude-…:beta`.
  const family = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return !WITHOUT.test(family) && FAMILIES.some((pattern) => pattern.test(family));
}
