import { textFile } from '@fleet/shell'
import {
  type CheckoutPlace,
  checkoutScript,
  directoryWords,
  type Outcome,
} from '#/instances/commands/checkout-script.ts'

const words = ['linked', 'failed', ...directoryWords] as const

const WHY = {
  absent: 'the release has no such directory',
  unsafe: 'a link or a file is in its place, or in that of a directory above it',
  occupied: 'a directory has that name there',
  failed: 'it could not be written there',
} as const
type Why = keyof typeof WHY
const reasons: readonly Why[] = ['absent', 'unsafe', 'occupied', 'failed']

export type LinkedEnvironment =
  | Outcome<(typeof words)[number]>
  | {
      readonly word: 'failed'
      readonly why: Why
      /** Of the release, in printable ASCII; empty for its root. */
      readonly directory: string
    }

export interface EnvironmentLinks extends CheckoutPlace {
  /** Repository-relative; empty for the root. */
  readonly applicationDirectory: string
  /** Its selection brings all of it to the disk. */
  readonly isNew: boolean
}

/** Links the `.env` files of the home into a release (ENV-019, RTE-154). */
export const linkEnvironment = checkoutScript<EnvironmentLinks, LinkedEnvironment>(
  textFile('link-environment.sh', import.meta.url),
  [textFile('../commands/descend.sh', import.meta.url)],
  {
    args: ({ applicationDirectory, isNew }) => [applicationDirectory, isNew ? 'new' : 'kept'],
    read: (answer) => {
      const word = answer.word('answer', words)
      if (word !== 'failed' || !answer.has('why')) return { word }
      return { word, why: answer.word('why', reasons), directory: answer.text('directory') }
    },
  },
)

/** Which directory of the release cannot have its file, and why. */
export const unlinkedText = ({ why, directory }: Extract<LinkedEnvironment, { readonly why: Why }>): string =>
  `The \`.env\` file could not be linked into ${directory === '' ? 'the root' : `\`${directory}\``} of the release: ${WHY[why]}. The previous release is still selected.`
