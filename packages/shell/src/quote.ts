// `=` is left out at the start of a name, because `NAME=value` in first place would be an assignment.
const BARE = /^(?![A-Za-z_]\w*=)[\w@%+=:,./-]+$/

/**
 * One word as POSIX `sh` reads it back, byte for byte; quoted only where it must be. Throws for a NUL or a lone
 * surrogate: neither is possible in an argument.
 */
export function quoteWord(text: string): string {
  if (text.includes('\0')) throw new Error('a word of a command cannot hold a NUL')
  if (!text.isWellFormed()) throw new Error('a word of a command must be well-formed text')
  return BARE.test(text) ? text : `'${withinQuotes(text)}'`
}

/** A text as it is written between the single quotes of `sh`. */
export const withinQuotes = (text: string): string => text.replaceAll("'", String.raw`'\''`)
