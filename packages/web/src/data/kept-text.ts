/** Text that this tab keeps over a reload. With `text` it is replaced; empty text is removed. Without storage nothing is kept. */
export function keptText(key: string, text?: string): string | undefined {
  try {
    if (text === '') sessionStorage.removeItem(key);
    else if (text !== undefined) sessionStorage.setItem(key, text);
    return sessionStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}
