/** Text that this tab keeps across reloads. Passing `text` replaces it; empty text removes it. If there is no storage, nothing is kept. */
export function keptText(key: string, text?: string): string | undefined {
  try {
    if (text === '') sessionStorage.removeItem(key);
    else if (text !== undefined) sessionStorage.setItem(key, text);
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}
