/** Text of one table cell. */
export const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** A table with a header row. */
export const table = (head: readonly string[], rows: ReadonlyArray<readonly string[]>): string =>
  [head, head.map(() => '-'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n')

/** Anchor that readers of markdown make of a heading. */
export const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')

/** Blocks separated by an empty line, with one line end at the end. */
export const page = (blocks: ReadonlyArray<string | undefined>): string =>
  `${blocks.filter((block) => block !== undefined && block !== '').join('\n\n')}\n`
