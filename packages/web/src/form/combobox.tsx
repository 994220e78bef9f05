import { type KeyboardEvent, type ReactElement, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { cx } from '../ui/cx.js';
import { fieldBox, Framed } from './field.js';
import { Visible } from '../text/visible.js';
import { uiWords } from '../words/ui.js';

interface Choice {
  value: string;
  /** Additional information, such as a price. */
  note?: string;
}

interface ComboboxProps {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  value: string;
  /** Returns all choices if nothing was typed, otherwise those that match. */
  choicesFor: (typed: string) => readonly Choice[];
  onChange: (value: string) => void;
}

/** The maximum number of choices shown; typing finds the others. */
const MOST = 100;

/** A text field with a list of choices. Any other text can be entered too. */
export function Combobox({ label, hint, error, value, choicesFor, onChange }: ComboboxProps): ReactElement {
  const [isOpen, setIsOpen] = useState(false);
  const [isTyped, setIsTyped] = useState(false);
  const [active, setActive] = useState(-1);
  const listId = useId();
  const list = useRef<HTMLUListElement>(null);
  const choices = isOpen ? choicesFor(isTyped ? value : '').slice(0, MOST) : [];
  const chosen = choices[active];
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);

  const open = (typed: boolean): void => {
    setIsOpen(true);
    setIsTyped(typed);
    setActive(-1);
  };
  const take = (taken: Choice): void => {
    onChange(taken.value);
    setIsOpen(false);
  };
  const move = (by: number): void => {
    if (!isOpen) return open(false);
    if (choices.length > 0) setActive((active + by + choices.length + (active < 0 && by < 0 ? 1 : 0)) % choices.length);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // During text composition, the keys belong to the input method.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      move(event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Enter' && chosen !== undefined) {
      event.preventDefault();
      take(chosen);
    } else if (event.key === 'Escape' && choices.length > 0) {
      // Close only the list, not the dialog around it.
      event.preventDefault();
      setIsOpen(false);
    }
  };
  return (
    <Framed label={label} hint={hint} error={error}>
      {(ids) => (
        <div className="relative">
          <input
            {...ids}
            type="text"
            role="combobox"
            data-landing="always"
            aria-autocomplete="list"
            aria-expanded={choices.length > 0}
            aria-controls={choices.length > 0 ? listId : undefined}
            aria-activedescendant={chosen === undefined ? undefined : `${listId}-${active}`}
            autoComplete="off"
            spellCheck={false}
            value={value}
            onChange={(event) => {
              onChange(event.target.value);
              open(true);
            }}
            onClick={() => open(false)}
            onBlur={() => setIsOpen(false)}
            onKeyDown={onKeyDown}
            className={cx(fieldBox, 'h-9 font-mono text-[0.8125rem]')}
          />
          {choices.length === 0 ? null : (
            <ul
              ref={list}
              id={listId}
              role="listbox"
              aria-label={uiWords.choices}
              className="scroll-quiet absolute inset-x-0 top-full z-20 mt-1 max-h-56 overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-card"
            >
              {choices.map((choice, index) => (
                <li
                  key={choice.value}
                  id={`${listId}-${index}`}
                  role="option"
                  aria-selected={index === active}
                  onMouseDown={(event) => {
                    event.preventDefault();
                    take(choice);
                  }}
                  className={cx(
                    'flex flex-wrap items-baseline gap-x-3 rounded-md px-2 py-1.5 text-[0.8125rem] hover:bg-blue-soft',
                    index === active && 'bg-blue-soft',
                  )}
                >
                  <code className="min-w-0 [overflow-wrap:anywhere]">
                    <Visible text={choice.value} strict />
                  </code>
                  {choice.note === undefined || choice.note === '' ? null : (
                    <span className="text-xs text-ink-3">
                      <Visible text={choice.note} />
                    </span>
                  )}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </Framed>
  );
}
