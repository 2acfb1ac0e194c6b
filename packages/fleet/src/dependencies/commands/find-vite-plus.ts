import { programOf, START, textFile } from '@fleet/shell'
import type { NodeScript } from '#/nodes/api.ts'

/** The only version whose behaviour is known (DEP-068). */
export const VERIFIED_VERSION = '0.3.0'

export interface VitePlus {
  readonly path: string
  /** Undefined where it printed none. */
  readonly version: string | undefined
}

/** Finds the Vite+ of the login user at its fixed places (DEP-067). Throws `dependencies.unsupported_delegation`. */
export const findVitePlus: NodeScript<undefined, VitePlus> = {
  source: programOf(textFile('find-vite-plus.sh', import.meta.url), START),
  as: 'login',
  timeoutSeconds: 30,
  maxOutputBytes: 16 * 1024,
  reasons: { missing: 'dependencies.unsupported_delegation' },
  broken: 'node.command_failed',
  read: (answer) => ({
    path: answer.text('path'),
    version: /(?<![\d.])\d+\.\d+\.\d+(?:-[\w.]+)?/.exec(answer.text('version'))?.[0],
  }),
}
