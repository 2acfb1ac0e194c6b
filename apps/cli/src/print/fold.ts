import type { Width } from './text.ts'

/** Narrower than this no text is laid out: a terminal breaks the rest as it can. */
export const MIN_WIDTH = 40
/** A text beside its name needs so many columns; with fewer it goes below the name. */
const MIN_BESIDE = 20
/** A command stays one line, so that it can be copied. */
const COMMAND = /^ {2,}(?:next +)?(?:printf .*\| )?fleet /

/**
 * Lines that fit so many columns: broken between words, the rest aligned below the text that follows a name. A word
 * longer than a line is not broken. The colors of `Colors` take no columns.
 */
export const foldAll = (lines: readonly string[], columns: number, width: Width): readonly string[] =>
  Number.isFinite(columns)
    ? lines
        .flatMap((line) => line.split('\n'))
        .flatMap((line) => fold(line, Math.max(MIN_WIDTH, columns), width))
    : lines

// eslint-disable-next-line no-control-regex -- The sequences of a terminal begin with a control character.
const COLORS = /\u001B\[\d+m/g

interface Word {
  /** With the colors around it. */
  readonly text: string
  /** Spaces in front of it. */
  readonly gap: number
  readonly columns: number
}

function fold(line: string, columns: number, width: Width): readonly string[] {
  const shown = line.replaceAll(COLORS, '')
  if (width(shown) <= columns || COMMAND.test(shown)) return [line]
  const [first, ...rest] = wordsOf(line, width)
  if (!first) return [line]
  const hang = hangOf([first, ...rest], columns)
  const folded: string[] = []
  let current = ' '.repeat(first.gap) + first.text
  let used = first.gap + first.columns
  for (const word of rest) {
    if (used + word.gap + word.columns > columns) {
      folded.push(current)
      // A long word moves to the left where that gives it room.
      const lead = Math.max(first.gap, Math.min(hang, columns - word.columns))
      current = ' '.repeat(lead) + word.text
      used = lead + word.columns
    } else {
      current += ' '.repeat(word.gap) + word.text
      used += word.gap + word.columns
    }
  }
  return [...folded, current]
}

function wordsOf(line: string, width: Width): readonly Word[] {
  const words: Word[] = []
  let gap = 0
  let colors = ''
  for (const [part] of line.matchAll(/ +|[^ ]+/g)) {
    const columns = part.startsWith(' ') ? 0 : width(part.replaceAll(COLORS, ''))
    const last = words.at(-1)
    if (part.startsWith(' ')) gap += part.length
    // Spaces may be inside a color, so that its end is a separate token.
    else if (columns === 0 && last) words[words.length - 1] = { ...last, text: last.text + part }
    else if (columns === 0) colors += part
    else {
      words.push({ text: colors + part, gap, columns })
      ;[gap, colors] = [0, '']
    }
  }
  return words
}

/** Where the lines after the first begin: below the text behind the first wide gap, or a little behind the beginning. */
function hangOf(words: readonly Word[], columns: number): number {
  const indent = words[0]?.gap ?? 0
  const label = words.findIndex(({ gap }, index) => index > 0 && gap > 1)
  const before = words.slice(0, Math.max(0, label)).reduce((sum, word) => sum + word.gap + word.columns, 0)
  const beside = before + (words[label]?.gap ?? 0)
  if (label > 0 && beside <= columns - MIN_BESIDE) return beside
  return Math.min(label > 0 ? indent + 4 : indent, columns - MIN_BESIDE)
}
