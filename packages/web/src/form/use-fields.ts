import { useState } from 'react';
import type { Saving } from './use-saving.js';

type NamesOf<Values, Kind> = { [Name in keyof Values]: Values[Name] extends Kind ? Name : never }[keyof Values] &
  string;

/** What a person has entered in a form, and the props of its controls. */
export interface Fields<Values> {
  readonly values: Values;
  /** A blur and the next input can come before a render, so a function gets the latest values. */
  readonly set: (change: Partial<Values> | ((now: Values) => Partial<Values>)) => void;
  /** `path`: the field's name in the server's errors, if it differs. */
  readonly text: (
    name: NamesOf<Values, string>,
    path?: string,
  ) => { value: string; error: string | undefined; onChange: (event: { target: { value: string } }) => void };
  readonly checkbox: (name: NamesOf<Values, boolean>) => {
    checked: boolean;
    onChange: (event: { target: { checked: boolean } }) => void;
  };
}

/** `onEdit` is called whenever a person changes something. */
export function useFields<Values extends object>(
  { errorOf }: Pick<Saving, 'errorOf'>,
  initial: () => Values,
  onEdit?: () => void,
): Fields<Values> {
  const [values, setValues] = useState(initial);
  const set: Fields<Values>['set'] = (change) => {
    setValues((now) => ({ ...now, ...(typeof change === 'function' ? change(now) : change) }));
    onEdit?.();
  };
  const put = (name: string, value: unknown): void => set({ [name]: value } as Partial<Values>);
  return {
    values,
    set,
    text: (name, path = name) => ({
      value: String(values[name]),
      error: errorOf(path),
      onChange: ({ target }) => put(name, target.value),
    }),
    checkbox: (name) => ({
      checked: values[name] === true,
      onChange: ({ target }) => put(name, target.checked),
    }),
  };
}
