/** After this time, the page is rendered with system fonts and keeps them. */
const PATIENCE_MS = 1000;

/** Never rejects. Resolves when the page can be rendered without a later font swap. */
export async function loadFonts(): Promise<void> {
  const fonts = ["1rem 'Inter Variable'", "1rem 'JetBrains Mono Variable'"].map((font) => document.fonts.load(font));
  await Promise.race([Promise.allSettled(fonts), new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
}
