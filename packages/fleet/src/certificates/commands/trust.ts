import { Secret } from '@fleet/kernel'
import { programOf, ROOT_FILES, textFile } from '@fleet/shell'
import { confirmed, type NodeScript, type Question, readPrinted, type Reasons } from '#/nodes/api.ts'

export interface TrustedRoot {
  /** Root folder of the machine; empty but in tests. */
  readonly root: string
  readonly certificate: string
  readonly sha256: string
}

const LIBRARIES = [ROOT_FILES, textFile('trust.sh', import.meta.url)] as const

const reasons: Reasons = {
  store_missing: 'certificate.store_missing',
  trust_failed: 'certificate.trust_failed',
}

const common = { timeoutSeconds: 120, reasons, broken: 'certificate.trust_failed' } as const

/** Puts the root into the system store, where it is not. */
export const trustRoot: NodeScript<TrustedRoot, 'installed' | 'unchanged'> = {
  ...common,
  source: programOf(textFile('install-trust.sh', import.meta.url), ...LIBRARIES),
  args: ({ root, sha256 }) => [root, sha256],
  stdin: ({ certificate }) => new Secret(certificate),
  read: (answer) => answer.word('trusted', ['installed', 'unchanged']),
}

/** SHA-256 of the file of the root that the whole system store has; empty for none. */
export const trustQuestion = (root: string): Question<string> => ({
  source: [...LIBRARIES, textFile('question-trust.sh', import.meta.url)].join('\n'),
  args: [root],
  read: (printed) => readPrinted(printed, (answer) => answer.text('trusted')),
})

/** Takes it out again. */
export const distrustRoot: NodeScript<Pick<TrustedRoot, 'root'>, void> = {
  ...common,
  source: programOf(textFile('remove-trust.sh', import.meta.url), ...LIBRARIES),
  args: ({ root }) => [root],
  read: confirmed('removed'),
}
