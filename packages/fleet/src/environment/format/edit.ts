import { fileText } from '#/environment/format/parse.ts'
import { FormatRefused } from '#/environment/format/refused.ts'
import { quoteValue, type Reader } from '#/environment/format/render.ts'
import { scanLines } from '#/environment/format/scan.ts'

export interface Edit {
  readonly set: ReadonlyMap<string, string>
  readonly removed: readonly string[]
}

/**
 * The text with some keys set and others removed; everything else stays as it is, but for its line ends, which become `\n`. A key
 * is set where it is first assigned, a new one at the end. Throws FormatRefused for a text whose keys cannot be determined.
 */
export function editedFile(content: Uint8Array, { set, removed }: Edit, reader: Reader): string {
  const assignment = (key: string, value: string): string => `${key}=${quoteValue(value, reader)}\n`
  const left = new Map(set)
  let edited = ''
  for (const { item, text } of scanLines(fileText(content))) {
    if (item?.kind === 'problem') throw new FormatRefused({ rule: item.rule, line: item.line })
    const value = item && left.get(item.key)
    if (item && value !== undefined) edited += assignment(item.key, value)
    else if (!item || (!set.has(item.key) && !removed.includes(item.key))) edited += text
    if (item) left.delete(item.key)
  }
  if (edited !== '' && !edited.endsWith('\n')) edited += '\n'
  return edited + [...left].map(([key, value]) => assignment(key, value)).join('')
}
