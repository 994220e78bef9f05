/** Letters, in pairs with the Latin letter that they look like: Cyrillic, Greek, Armenian, and Latin ones that few keyboards have. */
const ALIKE = new Map(
  [
    'аa еe ѕs іi јj оo рp сc уy хx ԁd ԛq ԝw һh үy ӏl ѵv гr кk тt пn ьb',
    'АA ВB ЕE ЅS ІI ЈJ КK МM НH ОO РP СC ТT УY ҮY ХX ԌG ԚQ ԜW ӀI',
    'αa γy ιi κk νv οo ρp τt υu χx ωw ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX',
    'օo սu հh ոn ցg զq յj ւl ՍU ՕO ՏS ԼL',
    'ɑa ɡg ıi ȷj ǀl ɩi ʋu ɒa',
    '0o 1l |l',
  ]
    .join(' ')
    .split(' ')
    .map(([from = '', to = '']) => [from, to]),
);

/** Whether two names can't be told apart by reading them: they differ in case, width, hidden characters, or letters that look the same. */
export function looksLike(one: string, other: string): boolean {
  // A capital I looks like a small l, so compare the letters as they are, and then without their case.
  return [(name: string) => name.replaceAll('I', 'l'), (name: string) => name.toLowerCase()].some(
    (prepare) => shapeOf(prepare(one.normalize('NFKC'))) === shapeOf(prepare(other.normalize('NFKC'))),
  );
}

function shapeOf(name: string): string {
  const letters = Array.from(name, (letter) => ALIKE.get(letter) ?? letter);
  return letters
    .join('')
    .toLowerCase()
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
