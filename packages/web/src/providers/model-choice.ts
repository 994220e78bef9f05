import { nearest, type ProviderModel } from '@countersign/protocol';

/** Models whose id or name contains every typed word. */
export function matchingModels(models: readonly ProviderModel[], typed: string): readonly ProviderModel[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return models;
  return models.filter(({ id, name = '' }) => {
    const text = `${id} ${name}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Whether an entered model is missing from a loaded list, and the most similar one (P9.2). */
export function unlisted(models: readonly ProviderModel[], model: string): { closest?: string } | undefined {
  const wanted = model.trim();
  if (wanted === '' || models.length === 0 || models.some(({ id }) => id === wanted)) return undefined;
  const closest = nearest(
    wanted,
    models.map(({ id }) => id),
  );
  return closest === undefined ? {} : { closest };
}
