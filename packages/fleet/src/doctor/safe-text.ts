/** Words, numbers, sizes, addresses with a prefix, ports with a protocol: all that a report may show of a machine (DRF-014). */
const SAFE = /^[A-Za-z0-9 _.:,+()%<>=*-]*$/
/** The slash of `10.44.0.0/16` and `443/tcp` follows a digit; the one of a path or URL never does. */
const NUMBER_SLASH = /(?<=\d)\/(?=[\da-z])/g
const MAX_LENGTH = 160

/** The text, or a word in its place when it could be a path, a URL or raw output. The checks are written so that it never is. */
export function safeText(text: string | null): string | null {
  if (text === null) return null
  return text.length <= MAX_LENGTH && SAFE.test(text.replaceAll(NUMBER_SLASH, ' ')) ? text : 'withheld'
}

const DIRECTORY = /^[A-Za-z0-9_.@-]+(?:\/[A-Za-z0-9_.@-]+)*$/

/** A directory of a repository, which one code names (DOC-014). */
export const safeDirectory = (directory: string): string =>
  directory.length <= MAX_LENGTH && DIRECTORY.test(directory) && !directory.split('/').includes('..')
    ? directory
    : 'withheld'
