/** After this time the page is drawn with the system's fonts, and keeps them. */
const PATIENCE_MS = 1000;

/** Never rejects. Resolves when the page can be drawn without a font moving it later. */
export async function loadFonts(): Promise<void> {
  const fonts = ["1rem 'Inter Variable'", "1rem 'JetBrains Mono Variable'"].map((font) => document.fonts.load(font));
  await Promise.race([Promise.allSettled(fonts), new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
}
