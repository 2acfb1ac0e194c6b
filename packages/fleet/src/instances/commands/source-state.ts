import { textFile } from '@fleet/shell'

/** Repository-relative path of the `.env` file below an application directory. */
export const environmentFile = (applicationDirectory: string): string =>
  [...applicationDirectory.split('/').filter(Boolean), '.env'].join('/')

/** The path as a pattern of Git that matches it alone. */
export const literalPattern = (path: string): string => path.replaceAll(/[\\*?[]/g, '\\$&')

/** What a write of the `.env` file that was cut off leaves beside it, as a pattern of Git. */
export const candidatePattern = (applicationDirectory: string): string =>
  `${literalPattern(environmentFile(applicationDirectory))}.fleet-*`

/** Facts about the work in a checkout, asked inside it after `tame`. */
export const SOURCE_STATE = textFile('source-state.sh', import.meta.url)
