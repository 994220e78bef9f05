import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';

/** The state of data from the server. Once `ready`, it stays `ready`: a later failure keeps the data. */
export type Read<T> = {
  /** Reads again after a change. Also while loading: an answer that the server sent before the change is dropped. */
  readonly reread: () => Promise<unknown>;
} & (
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly why: string; readonly retry: () => void; readonly isRetrying: boolean }
  /** `failure`: the last request failed, and `data` is from before. */
  | { readonly kind: 'ready'; readonly data: T; readonly failure?: { why: string; retry: () => void } }
);

export interface Reading<T> {
  /** Identifies the data, which stays on screen as long as the key is the same. */
  key: readonly unknown[];
  /** A change triggers another read. */
  revision?: unknown;
  read: (signal: AbortSignal) => Promise<T>;
  everyMs?: number;
  /** Reads once, and again only on request. */
  once?: boolean;
  /** Drops the data when no view uses it anymore. */
  forget?: boolean;
  enabled?: boolean;
}

/**
 * The only way for a view to read over HTTP. The library's queries report an error even if they still have data; pages that checked that flag
 * unmounted and lost what a person had typed.
 */
export function useRead<T>({ key, revision, read, everyMs, once, forget, enabled = true }: Reading<T>): Read<T> {
  const queries = useQueryClient();
  const queryKey = [...key, revision];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => read(signal),
    enabled,
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
    ...(once === true ? { staleTime: Number.POSITIVE_INFINITY } : {}),
    ...(forget === true ? { gcTime: 0 } : {}),
  });
  const id = JSON.stringify(key);
  const last = useRef<{ id: string; data: T }>(undefined);
  if (query.data !== undefined) last.current = { id, data: query.data };
  const retry = (): void => void query.refetch();
  const reread = async (): Promise<unknown> => {
    // Until there is data, the library would wait for the request under way instead of sending another one.
    await queries.cancelQueries({ queryKey, exact: true });
    return await query.refetch();
  };
  const failure = query.error === null ? undefined : { why: query.error.message, retry };
  if (last.current?.id === id)
    return { kind: 'ready', data: last.current.data, reread, ...(failure === undefined ? {} : { failure }) };
  return failure === undefined
    ? { kind: 'loading', reread }
    : { kind: 'failed', ...failure, reread, isRetrying: query.isFetching };
}
