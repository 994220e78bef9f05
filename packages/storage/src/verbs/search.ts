import type { StoreTransaction } from '@countersign/core/ports';
import type { Connection } from '../connection.js';
import type { SearchStatements } from '../queries/search.js';
import type { Statements } from '../statements.js';

type SearchVerbs = Pick<StoreTransaction, 'searchedUpTo' | 'search' | 'addToSearch'>;

export function searchVerbs(on: Connection, s: SearchStatements & Pick<Statements, 'matchText'>): SearchVerbs {
  const searchedUpTo = on.first(s.searchedUpTo, ([upto]) => upto);
  const startSearched = on.run(s.startSearched);
  const moveSearched = on.run(s.moveSearched);
  const lastDocument = on.first(s.lastDocument, ([ordinal]) => ordinal);
  const insertDocument = on.run(s.insertDocument);
  const documentsAfter = on.all(s.documentsAfter, ([ordinal]) => ordinal);
  const insertWords = on.run(s.insertWords);
  const search = on.all(s.search, ([ordinal, messageId]) => ({ ordinal, messageId }));

  return {
    searchedUpTo: async (worldId) => (await searchedUpTo({ worldId })) ?? 0,
    search: async (worldId, words, { before, limit }) =>
      words.length === 0 ? [] : search({ worldId, text: s.matchText(words), before, limit }),
    async addToSearch(worldId, { from, upto }, documents) {
      await startSearched({ worldId });
      if ((await moveSearched({ worldId, from, upto })) !== 1) return false;
      const last = (await lastDocument({})) ?? 0;
      for (const { messageId, chatId } of documents) await insertDocument({ messageId, chatId, worldId });
      const ordinals = await documentsAfter({ worldId, ordinal: last });
      for (const [index, { words }] of documents.entries()) {
        const ordinal = ordinals[index];
        if (ordinal === undefined) throw new Error('a row that was just written is missing');
        await insertWords({ ordinal, words: words.join(' ') });
      }
      return true;
    },
  };
}
