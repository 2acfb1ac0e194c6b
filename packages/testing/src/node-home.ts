import { mkdtempSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A new folder that is the home of a Node. Not below the temporary folder of the run, which may be in /dev: no apps may be
 * there. The real path: on macOS /tmp is a link.
 */
export const makeNodeHome = (name: string): string => realpathSync(mkdtempSync(join('/tmp', `${name}-`)))
