/** Text as a terminal may show it: control characters become visible escapes, so that no stored text can steer the terminal. */
export const printable = (text: string): string =>
  text.replace(
    /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** What `Colors` writes: bold, dim, red, cyan and their ends. No text can do harm with them. */
// eslint-disable-next-line no-control-regex -- The sequences of a terminal begin with a control character.
const COLOR = /(\u001B\[(?:1|2|22|31|36|39)m)/

/** Text that goes to a terminal, with its colors: the last place, behind every view that forgot to escape what it shows. */
export const forTerminal = (text: string): string =>
  text
    .split(COLOR)
    .map((part) => (COLOR.test(part) ? part : printable(part)))
    .join('')

/** The same in one line. */
export const oneLine = (text: string): string =>
  printable(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t')

/** Columns that a text takes on a terminal. */
export type Width = (text: string) => number

/** Counts exactly; the library behind it is loaded only for texts that need it. */
export async function widthOf(texts: readonly string[]): Promise<Width> {
  if (texts.every((text) => /^[\u0020-\u007e]*$/.test(text))) return (text) => text.length
  const { default: stringWidth } = await import('string-width')
  return (text) => stringWidth(text)
}

export const pad = (text: string, columns: number, width: Width): string =>
  text + ' '.repeat(Math.max(0, columns - width(text)))

/** The text cut to a number of columns, with a mark when something is missing. */
export function cut(text: string, columns: number, width: Width): string {
  if (width(text) <= columns) return text
  let kept = ''
  for (const character of text) {
    if (width(kept + character) > columns - 1) break
    kept += character
  }
  return `${kept}…`
}

/** Words in lines of at most so many columns. */
export function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > columns) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}
