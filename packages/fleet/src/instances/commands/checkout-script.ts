import { LITERALS } from '@fleet/contract'
import { type Answer, DURABLE, programOf, textFile, type Word } from '@fleet/shell'
import { posix } from 'node:path'
import { CONTROL_GROUP, type NodeScript } from '#/nodes/api.ts'
import { LOGIN_LIBRARY, type SourceLogin } from '#/source-host/api.ts'

/** Which directory of a Node a script works on, and what proves that this record's attempt made it. */
export interface CheckoutPlace {
  readonly checkoutPath: string
  readonly preparationId: string
}

/** What a script came to. */
export interface Outcome<W extends string> {
  readonly word: W
}

/** Words of `enter` and `claim`, with which every script on a checkout may end. */
export const directoryWords = ['root-missing', 'folder-missing', 'unsafe', 'foreign', 'busy'] as const

/** And of scripts that write into the directory or beside it. */
export const writingWords = ['storage-full', 'storage-read-only', 'failed', ...directoryWords] as const

/** And of scripts that bring a checkout of the machine to its checkout path. */
export const arrivalWords = ['occupied', 'changed', 'root-unusable', 'git-missing', ...writingWords] as const

/** Seconds that a script waits for one of an earlier request that outlived its connection. */
const WORKER_WAIT_SECONDS = 10

const LIBRARIES = [
  textFile('caller.sh', import.meta.url),
  DURABLE,
  `receipt=${LITERALS.gitReceiptFolder}`,
  textFile('checkout.sh', import.meta.url),
  textFile('worktrees.sh', import.meta.url),
  CONTROL_GROUP,
  textFile('strays.sh', import.meta.url),
]

/** What scripts on a checkout have in common; each answers a word, and further fields that `read` takes. */
export const checkoutScript = <I extends CheckoutPlace, A>(
  program: string,
  libraries: readonly string[],
  own: Pick<NodeScript<I, A>, 'args' | 'shown' | 'stdin' | 'payload' | 'maxOutputBytes' | 'isLong'> & {
    readonly read: (answer: Answer, input: I) => A
    /** What the libraries take away and the program needs: it comes before them. */
    readonly first?: string
  },
): NodeScript<I, A> => ({
  ...own,
  source: programOf(program, ...(own.first === undefined ? [] : [own.first]), ...LIBRARIES, ...libraries),
  as: 'login',
  args: (input) => [...placeWords(input), ...(own.args?.(input) ?? [])],
  reasons: {},
  broken: 'instance.source_failed',
})

/** A script on a checkout whose Git talks to the origin, by `remote`. */
export const remoteScript = <I extends CheckoutPlace & WithLogin, A>(
  program: string,
  libraries: readonly string[],
  own: Omit<Parameters<typeof checkoutScript<I, A>>[2], 'stdin' | 'isLong'>,
): NodeScript<I, A> =>
  checkoutScript(program, [LOGIN_LIBRARY, textFile('remote.sh', import.meta.url), ...libraries], {
    ...own,
    isLong: true,
    stdin: ({ login }) => login.input,
  })

export interface WithLogin {
  readonly login: SourceLogin
}

/** Reads an answer that is one of these words and nothing else. */
export const outcome =
  <W extends string>(words: readonly W[]) =>
  (answer: Answer): Outcome<W> => ({ word: answer.word('answer', words) })

const placeWords = ({ checkoutPath, preparationId }: CheckoutPlace): readonly Word[] => {
  const folder = posix.dirname(checkoutPath)
  return [
    posix.dirname(folder),
    posix.basename(folder),
    posix.basename(checkoutPath),
    preparationId,
    WORKER_WAIT_SECONDS,
  ]
}
