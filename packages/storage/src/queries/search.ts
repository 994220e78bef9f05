import { sql, type RawBuilder } from 'kysely';
import { prepared, upTo, type Queries, type RowOf, type Statement } from './prepared.js';
import type { SearchDocumentsTable } from '../schema.js';

/** Where the databases search differently. Words are letters and digits only, so that none is ever syntax. */
export interface SearchDialect {
  /** Keeps the words of a document, given as one text with blanks between them. */
  insertWords(ordinal: number, words: string): RawBuilder<unknown>;
  /** The column of `search_words` that holds the document's ordinal. */
  ordinal: RawBuilder<number>;
  matches(text: string): RawBuilder<boolean>;
}

export type SearchStatements = ReturnType<typeof searchStatements>;

export function searchStatements(db: Queries, dialect: SearchDialect) {
  const raw = <P, Row = never>(
    build: (p: <K extends keyof P & string>(name: K) => P[K]) => RawBuilder<unknown>,
  ): Statement<P, Row> => prepared<P, Row>((p) => ({ compile: () => build(p).compile(db) }));
  const { ordinal } = dialect;

  return {
    searchedUpTo: prepared<{ worldId: string }, [upto: number]>((p) =>
      db.selectFrom('searched').select('upto').where('world_id', '=', p('worldId')),
    ),
    startSearched: prepared<{ worldId: string }>((p) =>
      db
        .insertInto('searched')
        .values({ world_id: p('worldId'), upto: sql.lit(0) })
        .onConflict((conflict) => conflict.column('world_id').doNothing()),
    ),
    moveSearched: prepared<{ worldId: string; from: number; upto: number }>((p) =>
      db
        .updateTable('searched')
        .set({ upto: p('upto') })
        .where('world_id', '=', p('worldId'))
        .where('upto', '=', p('from')),
    ),
    lastDocument: prepared<object, [ordinal: number]>(() =>
      db.selectFrom('search_documents').select(sql<number>`coalesce(max(ordinal), 0)`.as('ordinal')),
    ),
    // Gives nothing back: with a statement that still has a row to give, SQLite writes its words out after each document.
    insertDocument: prepared<RowOf<SearchDocumentsTable>>((p) =>
      db
        .insertInto('search_documents')
        .values({ message_id: p('messageId'), chat_id: p('chatId'), world_id: p('worldId') }),
    ),
    documentsAfter: prepared<{ worldId: string; ordinal: number }, [ordinal: number]>((p) =>
      db
        .selectFrom('search_documents')
        .select('ordinal')
        .where('ordinal', '>', p('ordinal'))
        .where('world_id', '=', p('worldId'))
        .orderBy('ordinal'),
    ),
    insertWords: raw<{ ordinal: number; words: string }>((p) => dialect.insertWords(p('ordinal'), p('words'))),
    search: raw<{ worldId: string; text: string; before: number; limit: number }, [ordinal: number, message: string]>(
      (p) => sql`select search_documents.ordinal, message_id from search_words
        join search_documents on search_documents.ordinal = ${ordinal}
        where ${dialect.matches(p('text'))} and world_id = ${p('worldId')} and ${ordinal} < ${p('before')}
        order by ${ordinal} desc limit ${upTo(p('limit'))}`,
    ),
  };
}

export function searchPurge(db: Queries, { ordinal }: SearchDialect) {
  const words = (which: (id: string) => RawBuilder<boolean>) =>
    prepared<{ id: string }>((p) => ({
      compile: () =>
        sql`delete from search_words where ${ordinal} in
          (select ordinal from search_documents where ${which(p('id'))})`.compile(db),
    }));
  const ofChat = (id: string) => sql<boolean>`chat_id = ${id}`;
  const ofWorld = (id: string) => sql<boolean>`chat_id in (select id from chats where world_id = ${id})`;
  return {
    chat: {
      words: words(ofChat),
      documents: prepared<{ id: string }>((p) => db.deleteFrom('search_documents').where(ofChat(p('id')))),
    },
    world: {
      words: words(ofWorld),
      documents: prepared<{ id: string }>((p) => db.deleteFrom('search_documents').where(ofWorld(p('id')))),
      searched: prepared<{ id: string }>((p) => db.deleteFrom('searched').where('world_id', '=', p('id'))),
    },
  };
}
