import type { ProviderModel } from '@countersign/protocol';

/** Models whose id or name contains every typed word. */
export function matchingModels(models: readonly ProviderModel[], typed: string): readonly ProviderModel[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return models;
  return models.filter(({ id, name = '' }) => {
    const text = `${id} ${name}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
