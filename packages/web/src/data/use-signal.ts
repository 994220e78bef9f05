import { useSyncExternalStore } from 'react';
import type { Signal } from './signal.js';

export function useSignal<T>({ get, subscribe }: Pick<Signal<T>, 'get' | 'subscribe'>): T {
  return useSyncExternalStore(subscribe, get);
}
