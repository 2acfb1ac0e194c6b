/** Words that a console command cannot read; printed with its usage. The message may be empty. */
export class Misuse extends Error {
  override readonly name = 'Misuse'
}

/** Throws Misuse unless there are from `least` to `most` words. */
export function requireWords(words: readonly string[], least: number, most = least): void {
  const excess = words[most]
  if (excess !== undefined) throw new Misuse(`${excess} is one argument too many.`)
  if (words.length < least) throw new Misuse()
}

/** The misuse behind an error, also one that the parser of arguments found. */
export function misuseOf(error: unknown): Misuse | undefined {
  if (error instanceof Misuse) return error
  if (!(error instanceof Error) || !('code' in error) || !String(error.code).startsWith('ERR_PARSE_ARGS_'))
    return undefined
  const [sentence = error.message] = error.message.split(/\. |\n/)
  return new Misuse(`${sentence.replace(/\.$/, '')}.`, { cause: error })
}
