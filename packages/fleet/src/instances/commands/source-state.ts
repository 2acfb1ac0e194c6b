import { textFile } from '@fleet/shell'

/** Repository-relative path of the `.env` file below an application directory. */
export const environmentFile = (applicationDirectory: string): string =>
  [...applicationDirectory.split('/').filter(Boolean), '.env'].join('/')

/** The path as a pattern of Git that matches it alone. */
export const literalPattern = (path: string): string => path.replaceAll(/[\\*?[]/g, '\\$&')

const digits = (count: number): string => '[0-9a-f]'.repeat(count)

/** Ends of names: of a synchronization, of the creation that made the first file, and of a change of its `APP_URL`. */
const CANDIDATES = [`sync-${digits(16)}`, [8, 4, 4, 4, 12].map(digits).join('-'), 'url']

/**
 * What a write of the `.env` file that was cut off leaves beside it, as patterns of Git, a line each. They match nothing that the
 * fleet does not write itself: a file with such a name is swept, and never counts as work.
 */
export const candidatePatterns = (applicationDirectory: string): string =>
  CANDIDATES.map((end) => `${literalPattern(environmentFile(applicationDirectory))}.fleet-${end}`).join('\n')

/** One line of a Git exclude file that matches the `.env` of this directory alone. */
export const excludePattern = (applicationDirectory: string): string =>
  `/${literalPattern(environmentFile(applicationDirectory))}`

/** The lines of a Git exclude file for the fleet's own files in this directory. */
export const excludeLines = (applicationDirectory: string): string =>
  [
    excludePattern(applicationDirectory),
    ...candidatePatterns(applicationDirectory)
      .split('\n')
      .map((pattern) => `/${pattern}`),
  ].join('\n')

/** Facts about the work in a checkout, asked inside it after `tame`. */
export const SOURCE_STATE = [
  textFile('own-files.sh', import.meta.url),
  textFile('source-heads.sh', import.meta.url),
  textFile('source-state.sh', import.meta.url),
].join('')
