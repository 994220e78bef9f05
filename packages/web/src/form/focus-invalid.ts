/** Focuses the first field with an error and scrolls it into view with its label and error (PAGE1.5). Returns false if no field has an error. */
export function focusInvalid(form: HTMLElement | null): boolean {
  const field = form?.querySelector<HTMLElement>('[aria-invalid="true"]') ?? undefined;
  if (field === undefined) return false;
  const fold = field.closest('details');
  if (fold !== null) fold.open = true;
  field.focus();
  (field.closest('[data-field]') ?? field).scrollIntoView({ block: 'nearest' });
  return document.activeElement === field;
}
