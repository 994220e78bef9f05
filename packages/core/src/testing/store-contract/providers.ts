import { describe, expect, it } from 'vitest';
import type { ProviderRecord } from '../../ports/index.js';
import { HOSTILE, write } from './samples.js';
import { freshStore, type OpenStore } from './under-test.js';

function provider(id: string, change: Partial<ProviderRecord> = {}): ProviderRecord {
  const given = { kind: 'vllm', name: id, baseUrl: `http://127.0.0.1:8000/${HOSTILE}`, apiKey: HOSTILE };
  return { id, ...given, rev: 1, createdAt: 7, ...change };
}

/** Model providers, which belong to no world. */
export function describeProviders(open: OpenStore): void {
  const { store } = freshStore(open);

  describe('providers', () => {
    it('[MODEL7] round-trip, in the order they were added, without a world', async () => {
      const plain = provider('attic', { baseUrl: null, apiKey: null });
      await store().transact('', async (tx) => {
        await tx.insertProvider(provider('shed'));
        await tx.insertProvider(plain);
      });
      expect(await store().read((r) => r.providers())).toStrictEqual([provider('shed'), plain]);
      expect(await write(store(), (tx) => tx.deleteProvider('shed'))).toBe(true);
      expect(await write(store(), (tx) => tx.deleteProvider('shed'))).toBe(false);
      expect(await store().read((r) => r.providers())).toStrictEqual([plain]);
    });

    it('[MODEL7] no concurrent change is lost', async () => {
      await write(store(), (tx) => tx.insertProvider(provider('shed')));
      expect(await write(store(), (tx) => tx.updateProvider(provider('shed', { apiKey: 'new' })))).toBe(true);
      expect(await write(store(), (tx) => tx.updateProvider(provider('shed', { apiKey: null })))).toBe(false);
      const changed = provider('shed', { apiKey: 'new', rev: 2 });
      expect(await store().read((r) => r.providers())).toStrictEqual([changed]);
      const renamed = { ...changed, name: 'SHED', baseUrl: null };
      expect(await write(store(), (tx) => tx.updateProvider(renamed))).toBe(true);
      expect(await store().read((r) => r.providers())).toStrictEqual([{ ...renamed, rev: 3 }]);
      expect(await write(store(), (tx) => tx.updateProvider(provider('gone')))).toBe(false);
    });

    it('[MODEL7] have unique names, ignoring case', async () => {
      await write(store(), async (tx) => {
        await tx.insertProvider(provider('shed', { name: 'Shed' }));
        await tx.insertProvider(provider('attic', { name: 'Attic' }));
      });
      const taken = { code: 'conflict', field: 'name' };
      const added = write(store(), (tx) => tx.insertProvider(provider('other', { name: 'sHED' })));
      await expect(added).rejects.toMatchObject(taken);
      const renamed = write(store(), (tx) => tx.updateProvider(provider('attic', { name: 'SHED' })));
      await expect(renamed).rejects.toMatchObject(taken);
      expect((await store().read((r) => r.providers())).map(({ name }) => name)).toEqual(['Shed', 'Attic']);
    });
  });
}
