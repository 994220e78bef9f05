import { Box, Text } from 'ink';
import { memo, useSyncExternalStore, type ReactElement } from 'react';
import { textOf, type Colour, type Line, type Span } from './layout/spans.js';

/** The content of the screen, with a subscription to changes. */
export interface Picture {
  subscribe(listener: () => void): () => void;
  getFrame(): readonly Line[];
  readonly hasColour: boolean;
}

export function App({ picture }: { picture: Picture }): ReactElement {
  const frame = useSyncExternalStore(
    (listener) => picture.subscribe(listener),
    () => picture.getFrame(),
  );
  return (
    <Box flexDirection="column">
      {frame.map((line, row) => (
        <Row key={`row ${row}`} line={line} hasColour={picture.hasColour} />
      ))}
    </Box>
  );
}

const Row = memo(
  function Row({ line, hasColour }: { line: Line; hasColour: boolean }): ReactElement {
    return (
      <Text wrap="truncate-end">
        {line.map((piece, index) => (
          <Piece key={`piece ${index}`} piece={piece} hasColour={hasColour} />
        ))}
      </Text>
    );
  },
  (before, after) => isSame(before.line, after.line),
);

function Piece({ piece, hasColour }: { piece: Span; hasColour: boolean }): ReactElement {
  const { text, colour, bold = false, dim = false, inverse = false } = piece;
  const look = { bold, dimColor: dim, inverse };
  if (!hasColour || colour === undefined) return <Text {...look}>{text}</Text>;
  return (
    <Text {...look} color={inkColour(colour)}>
      {text}
    </Text>
  );
}

/** Colour names, not shades, so that the person's terminal theme keeps them readable. No agent colour is also a state colour. */
const AGENTS = [
  'blueBright',
  'cyan',
  'magenta',
  'cyanBright',
  'blue',
  'magentaBright',
  'blueBright',
  'magenta',
] as const;

function inkColour(colour: Colour): string {
  switch (colour) {
    case 'waiting':
      return 'yellow';
    case 'good':
      return 'green';
    case 'bad':
      return 'red';
    case 'do':
      return 'blueBright';
    default:
      return AGENTS[Number(colour.slice(6)) % AGENTS.length] ?? 'cyan';
  }
}

function isSame(a: Line, b: Line): boolean {
  if (a.length !== b.length || textOf(a) !== textOf(b)) return false;
  return a.every((piece, index) => {
    const other = b[index];
    return (
      other !== undefined &&
      piece.text === other.text &&
      piece.colour === other.colour &&
      (piece.bold ?? false) === (other.bold ?? false) &&
      (piece.dim ?? false) === (other.dim ?? false) &&
      (piece.inverse ?? false) === (other.inverse ?? false)
    );
  });
}
